//! The walk in tables, and by property.

use std::time::Duration;

use api_kinds::promotion::{PromotionPhase, PromotionStepStatus as Status};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn step(alias: &str) -> Step {
    Step {
        alias: alias.to_owned(),
        kind: "copy".to_owned(),
        has_condition: false,
        continue_on_error: false,
        limits: Some(Limits { timeout: None, error_threshold: 1 }),
        feeds_task: false,
    }
}

fn patient(alias: &str, error_threshold: u32, timeout: Option<u64>) -> Step {
    let timeout = timeout.map(Duration::from_secs);
    Step { limits: Some(Limits { timeout, error_threshold }), ..step(alias) }
}

fn engine(steps: impl IntoIterator<Item = Step>) -> Engine {
    Engine::new(steps.into_iter().collect(), Progress::default())
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn attempt(status: Status) -> Attempt {
    Attempt { status, ..Attempt::default() }
}

fn errored(message: &str) -> Attempt {
    Attempt::fault(Status::Errored, message, false)
}

fn statuses(engine: &Engine) -> Vec<String> {
    let records = &engine.progress().step_execution_metadata;
    records.iter().map(|record| record.status.as_str().to_owned()).collect()
}

fn message(engine: &Engine, position: usize) -> &str {
    &engine.progress().step_execution_metadata[position].message
}

#[test]
fn steps_run_in_order_and_the_promotion_succeeds() {
    let mut engine = engine([step("a"), step("b")]);
    for position in 0..2 {
        assert_eq!(engine.next(at(1)), Next::Attempt(position));
        assert_eq!(engine.attempted(attempt(Status::Succeeded), at(2)), Verdict::Ended);
    }
    let end = End { phase: PromotionPhase::Succeeded, message: String::new() };
    assert_eq!(engine.next(at(3)), Next::Finished(end.clone()));
    assert_eq!(engine.next(at(3)), Next::Finished(end));
    assert_eq!(engine.progress().current_step, 1);
}

#[test]
fn a_failed_step_skips_those_without_a_condition() {
    let cleanup = Step { has_condition: true, ..step("c") };
    let mut engine = engine([step("a"), step("b"), cleanup]);
    engine.next(at(1));
    engine.attempted(Attempt::fault(Status::Failed, "no", true), at(1));
    assert_eq!(engine.next(at(1)), Next::Decide(2));
    engine.decided(true);
    assert_eq!(engine.next(at(1)), Next::Attempt(2));
    engine.attempted(attempt(Status::Succeeded), at(1));
    let end = End { phase: PromotionPhase::Failed, message: "step \"a\": no".to_owned() };
    assert_eq!(engine.next(at(1)), Next::Finished(end));
    assert_eq!(statuses(&engine), ["Failed", "Skipped", "Succeeded"]);
}

#[test]
fn errors_count_in_a_row() {
    let mut engine = engine([patient("a", 2, None)]);
    for expected in [errored("x"), attempt(Status::Running), errored("x")] {
        assert_eq!(engine.next(at(1)), Next::Attempt(0));
        assert!(matches!(engine.attempted(expected, at(1)), Verdict::Again(_)));
    }
    assert_eq!(message(&engine, 0), "error running step \"a\": x; step will be retried");
    engine.next(at(1));
    assert_eq!(engine.attempted(errored("y"), at(1)), Verdict::Ended);
    let want = "step \"a\" met error threshold of 2: error running step \"a\": y";
    assert_eq!(message(&engine, 0), want);
}

#[test]
fn a_step_that_takes_too_long_is_given_up() {
    let mut engine = engine([patient("a", 1, Some(60))]);
    engine.next(at(1_000));
    let Verdict::Again(again) = engine.attempted(attempt(Status::Running), at(1_060)) else {
        panic!("the step has time left");
    };
    assert_eq!(again.deadline, Some(at(1_060)));
    assert_eq!(engine.attempted(attempt(Status::Running), at(1_061)), Verdict::Ended);
    assert_eq!(message(&engine, 0), "step \"a\" timed out after 1m0s");
}

#[test]
fn an_unknown_kind_and_a_bad_condition_leave_no_times() {
    let unknown = Step { limits: None, continue_on_error: true, ..step("a") };
    let conditional = Step { has_condition: true, ..step("b") };
    let mut engine = engine([unknown, conditional]);
    assert_eq!(engine.next(at(1)), Next::Decide(1));
    engine.undecided("no");
    assert!(matches!(engine.next(at(1)), Next::Finished(_)));
    let records = &engine.progress().step_execution_metadata;
    assert!(records.iter().all(|it| it.started_at.is_none() && it.finished_at.is_none()));
    assert_eq!(statuses(&engine), ["Errored", "Errored"]);
}

#[test]
fn looks_that_fail_are_forgiven_a_few_times_and_begin_anew_with_the_attempt() {
    let mut engine = engine([Step { has_condition: true, ..step("a") }]);
    for _ in 0..4 {
        assert_eq!(engine.next(at(1)), Next::Decide(0));
        assert!(matches!(engine.unanswered("down", at(1)), Verdict::Again(_)));
    }
    engine.next(at(1));
    engine.decided(true);
    engine.next(at(1));
    assert_eq!(engine.progress().step_execution_metadata[0].error_count, 0);
    for _ in 0..4 {
        assert!(matches!(engine.unanswered("down", at(1)), Verdict::Again(_)));
    }
    assert_eq!(engine.unanswered("down", at(1)), Verdict::Ended);
}

#[test]
fn an_error_keeps_the_output_of_the_attempt_before_it() {
    let output = json!({"pr": 1}).as_object().cloned();
    let mut engine = engine([patient("a", 3, None)]);
    engine.next(at(1));
    engine.attempted(Attempt { output: output.clone(), ..attempt(Status::Running) }, at(1));
    engine.attempted(errored("x"), at(1));
    assert_eq!(engine.progress().state["a"], json!({"pr": 1}));
    engine.attempted(attempt(Status::Succeeded), at(1));
    assert_eq!(engine.progress().state["a"], json!(null));
}

#[test]
fn the_output_of_a_task_s_step_reaches_the_task() {
    let mut engine = engine([Step { feeds_task: true, ..step("t::a") }]);
    engine.next(at(1));
    let output = json!({"x": 1}).as_object().cloned();
    engine.attempted(Attempt { output, ..attempt(Status::Succeeded) }, at(1));
    assert_eq!(json!(engine.progress().state), json!({"t": {"x": 1}, "t::a": {"x": 1}}));
}

#[test]
fn an_abort_ends_the_step_under_way() {
    let mut engine = engine([step("a"), step("b")]);
    engine.next(at(1));
    let end = engine.abort("stopped by somebody", at(2));
    assert_eq!(end.phase, PromotionPhase::Aborted);
    assert_eq!(statuses(&engine), ["Aborted"]);
    assert_eq!(engine.progress().step_execution_metadata[0].finished_at.as_ref().unwrap().0, at(2));
}

#[test]
fn a_restart_keeps_outputs_only() {
    let mut engine = engine([step("a"), step("b")]);
    engine.next(at(1));
    engine.attempted(attempt(Status::Succeeded), at(1));
    let mut progress = engine.into_progress();
    progress.restart();
    assert_eq!((progress.current_step, progress.step_execution_metadata.len()), (0, 0));
    assert!(progress.state.contains_key("a"));
}

fn any_attempt() -> impl Strategy<Value = Attempt> {
    let status = prop_oneof![
        Just(Status::Succeeded),
        Just(Status::Skipped),
        Just(Status::Failed),
        Just(Status::Errored),
        Just(Status::from("Odd")),
    ];
    (status, any::<bool>()).prop_map(|(status, is_final)| match status {
        Status::Failed | Status::Errored => Attempt::fault(status, "x", is_final),
        status => attempt(status),
    })
}

proptest! {
    /// A restart between any two moments changes nothing: the progress says it all.
    #[test]
    fn a_walk_that_is_interrupted_everywhere_ends_like_one_that_is_not(
        attempts in prop::collection::vec(any_attempt(), 1..8),
    ) {
        let steps: Vec<Step> =
            (0..attempts.len()).map(|position| patient(&format!("s{position}"), 2, None)).collect();
        let walk = |interrupted: bool| {
            let mut engine = Engine::new(steps.clone(), Progress::default());
            let mut left = 100;
            loop {
                left -= 1;
                prop_assert!(left > 0, "the walk does not end");
                match engine.next(at(1)) {
                    Next::Attempt(position) => {
                        engine.attempted(attempts[position].clone(), at(2));
                    }
                    Next::Decide(_) => engine.decided(true),
                    Next::Finished(end) => return Ok((end, engine.into_progress())),
                }
                if interrupted {
                    let text = serde_json::to_string(engine.progress()).unwrap();
                    let progress = serde_json::from_str(&text).unwrap();
                    engine = Engine::new(steps.clone(), progress);
                }
            }
        };
        prop_assert_eq!(walk(false)?, walk(true)?);
    }
}
