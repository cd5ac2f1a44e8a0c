//! Verification: when it begins, how it goes, what comes of it.

use api_kinds::health::HealthState;
use api_kinds::promotion::PromotionPhase::Succeeded;
use api_kinds::verification::{VerificationInfo, VerificationPhase};
use serde_json::json;

use super::bench::{Bench, row};
use crate::health::HealthFinding;
use crate::stage::{Effect, FreightChange, RunLookup, RunView, Wake};

const ABORT: &str = "kargo.akuity.io/abort";
const REVERIFY: &str = "kargo.akuity.io/reverify";

/// A Stage whose Freight `a1` has just arrived and is to be verified.
fn arrived() -> Bench {
    let mut bench = Bench::new(&["w1"]).verifying();
    bench.add_freight("a1", "w1");
    bench.add_freight("a2", "w1");
    let name = bench.promote("a1", json!({}));
    bench.pass();
    bench.finish(&name, Succeeded);
    bench
}

fn under_way() -> Bench {
    let mut bench = arrived();
    bench.settle();
    bench
}

fn verifications(bench: &Bench) -> &[VerificationInfo] {
    &bench.stage.status.freight_history[0].verification_history
}

fn phases(bench: &Bench) -> Vec<&str> {
    verifications(bench).iter().map(|attempt| attempt.phase.as_str()).collect()
}

/// Lets the newest AnalysisRun say something.
fn say(bench: &mut Bench, phase: &str, message: &str) {
    let name = verifications(bench)[0].analysis_run.as_ref().unwrap().name.clone();
    let completed_at = Some(bench.now);
    let promotion = Some("p".to_owned());
    let run =
        RunView { phase: phase.to_owned(), message: message.to_owned(), completed_at, promotion };
    bench.runs.as_mut().unwrap().runs.insert(name, run);
}

fn verified(bench: &Bench) -> String {
    row(&bench.stage.status.conditions, "Verified")
}

fn is_marked(bench: &Bench) -> bool {
    bench.freight("a1").status.verified_in.contains_key("prod")
}

#[test]
fn a_new_verification_is_pending_without_an_end() {
    let bench = under_way();
    assert_eq!(phases(&bench), ["Pending"]);
    let attempt = &verifications(&bench)[0];
    assert_eq!(attempt.finish_time, None);
    let run = attempt.analysis_run.as_ref().unwrap();
    assert_eq!((run.namespace.as_str(), run.phase.as_str()), ("demo", ""));
    assert!(run.name.starts_with("prod.") && run.name.len() == 5 + 26 + 1 + 7);
    assert_eq!(verified(&bench), "Unknown/VerificationPending");
    assert!(!is_marked(&bench));
}

#[test]
fn each_result_has_its_condition_event_and_mark() {
    for (phase, condition, event, is_verified) in [
        ("Successful", "True/Verified", "FreightVerificationSucceeded", true),
        ("Failed", "False/VerificationFailed", "FreightVerificationFailed", false),
        ("Error", "False/VerificationError", "FreightVerificationErrored", false),
        (
            "Inconclusive",
            "Unknown/VerificationInconclusive",
            "FreightVerificationInconclusive",
            false,
        ),
        ("Strange", "Unknown/UnknownVerificationPhase", "FreightVerificationUnknown", false),
    ] {
        let mut bench = under_way();
        say(&mut bench, "Running", "");
        assert!(bench.pass().events(&bench.world()).is_empty());
        assert_eq!(verified(&bench), "Unknown/VerificationRunning");
        bench.later(60);
        say(&mut bench, phase, "because");
        let plan = bench.pass();
        let events = plan.events(&bench.world());
        assert_eq!(events.iter().map(|event| event.reason).collect::<Vec<_>>(), [event]);
        let promotion = events[0].annotations.get("event.kargo.akuity.io/promotion-name");
        assert_eq!(promotion.map(String::as_str), Some("p"));
        assert_eq!((verified(&bench).as_str(), is_marked(&bench)), (condition, is_verified));
        assert!(verifications(&bench)[0].finish_time.is_some());
        assert!(bench.pass().events(&bench.world()).is_empty());
    }
}

#[test]
fn a_run_that_exists_under_the_name_is_taken_over() {
    let mut bench = arrived();
    let plan = bench.plan();
    let start = plan.effects.iter().find_map(|effect| match effect {
        Effect::StartVerification(start) => Some(start.clone()),
        _ => None,
    });
    let start = start.unwrap();
    assert_eq!(
        start.promotion.as_deref(),
        Some(bench.promotions[0].metadata.name.as_deref().unwrap())
    );
    // The process died after it created the run.
    let run = RunView { phase: "Running".to_owned(), ..RunView::default() };
    bench.runs.as_mut().unwrap().runs.insert(start.run_name.clone(), run);
    bench.later(30);
    bench.pass();
    assert_eq!(phases(&bench), ["Running"]);
    assert_eq!(verifications(&bench)[0].id, start.id);
    assert_eq!(bench.runs.as_ref().unwrap().runs.len(), 1);
}

#[test]
fn the_same_freight_that_comes_back_is_verified_anew() {
    let mut bench = under_way();
    say(&mut bench, "Failed", "");
    bench.settle();
    for freight in ["a2", "a1"] {
        bench.later(60);
        let name = bench.promote(freight, json!({}));
        bench.settle();
        bench.finish(&name, Succeeded);
        bench.settle();
        assert_eq!(phases(&bench), ["Pending"]);
        say(&mut bench, "Successful", "");
        bench.settle();
    }
    assert_eq!(bench.history(), ["a1", "a2", "a1"]);
    assert_eq!(bench.runs.as_ref().unwrap().runs.len(), 3);
    assert!(is_marked(&bench));
}

#[test]
fn verification_waits_for_health_and_for_promotions() {
    let mut bench = Bench::new(&["w1"]).verifying();
    bench.add_freight("a1", "w1");
    let name = bench.promote("a1", json!({}));
    bench.update(&name, |promotion| {
        promotion.status.health_checks =
            serde_json::from_value(json!([{"uses": "probe"}])).unwrap();
    });
    bench.finish(&name, Succeeded);
    for status in [HealthState::Unhealthy, HealthState::Progressing, HealthState::Unknown] {
        let finding = HealthFinding { status, ..HealthFinding::default() };
        bench.findings.0.insert("probe".to_owned(), finding);
        bench.settle();
        assert!(verifications(&bench).is_empty());
        assert_eq!(verified(&bench), "Unknown/WaitingForVerification");
    }
    let other = bench.promote("a1", json!({}));
    bench.run(&other);
    let finding = HealthFinding { status: HealthState::Healthy, ..HealthFinding::default() };
    bench.findings.0.insert("probe".to_owned(), finding);
    bench.settle();
    assert!(verifications(&bench).is_empty());
    bench.promotions.retain(|promotion| promotion.metadata.name.as_deref() != Some(&other));
    bench.settle();
    assert_eq!(phases(&bench), ["Pending"]);
}

#[test]
fn an_abort_ends_it_once() {
    let mut bench = under_way();
    let id = verifications(&bench)[0].id.clone();
    bench.annotate(ABORT, &format!(r#"{{"id":"{id}","actor":"email:ann"}}"#));
    let plan = bench.pass();
    assert!(plan.effects.iter().any(|effect| matches!(effect, Effect::TerminateRun { .. })));
    assert_eq!(plan.events(&bench.world())[0].reason, "FreightVerificationAborted");
    let attempt = &verifications(&bench)[0];
    assert_eq!((attempt.phase.as_str(), attempt.actor.as_str()), ("Aborted", "email:ann"));
    assert_eq!(attempt.message, "Verification aborted by user");
    assert!(bench.plan().effects.is_empty());
    // A request for what has ended changes nothing.
    let before = bench.stage.status.clone();
    bench.settle();
    assert_eq!(bench.stage.status, before);
}

#[test]
fn an_abort_that_cannot_be_carried_out_is_an_error() {
    let mut bench = under_way();
    let id = verifications(&bench)[0].id.clone();
    bench.annotate(ABORT, &id);
    let mut plan = bench.plan();
    plan.termination_failed(&bench.world(), "no");
    let attempt = &plan.status.freight_history[0].verification_history[0];
    assert_eq!(attempt.phase, VerificationPhase::Error);
    assert!(attempt.message.starts_with("error terminating AnalysisRun \"prod."));
    assert_eq!(plan.events(&bench.world())[0].reason, "FreightVerificationErrored");
    assert_eq!(row(&plan.status.conditions, "Verified"), "False/VerificationError");
}

#[test]
fn a_repetition_that_fails_revokes_the_mark() {
    for revokes in [true, false] {
        let mut bench = under_way();
        bench.settings.revokes = revokes;
        say(&mut bench, "Successful", "");
        bench.settle();
        bench.later(60);
        let id = verifications(&bench)[0].id.clone();
        bench.annotate(
            REVERIFY,
            &format!(r#"{{"id":"{id}","actor":"email:ann","controlPlane":true}}"#),
        );
        let plan = bench.settle();
        assert!(plan.effects.is_empty());
        assert_eq!(phases(&bench), ["Pending", "Successful"]);
        assert_eq!(verifications(&bench)[0].actor, "email:ann");
        assert_eq!((verified(&bench).as_str(), is_marked(&bench)), ("True/Verified", true));
        say(&mut bench, "Failed", "worse");
        bench.settle();
        assert_eq!(verified(&bench), "False/VerificationFailed");
        assert_eq!(is_marked(&bench), !revokes);
        // The request has been dealt with.
        assert_eq!(phases(&bench), ["Failed", "Successful"]);
    }
}

#[test]
fn freight_that_fails_in_new_company_keeps_the_mark_it_had() {
    let mut bench = Bench::new(&["w1", "w2"]).verifying();
    bench.add_freight("a1", "w1");
    bench.add_freight("b1", "w2");
    for (freight, result) in [("a1", "Successful"), ("b1", "Failed")] {
        bench.later(60);
        let name = bench.promote(freight, json!({}));
        bench.settle();
        bench.finish(&name, Succeeded);
        bench.settle();
        say(&mut bench, result, "");
        bench.settle();
    }
    assert!(is_marked(&bench));
    assert!(!bench.freight("b1").status.verified_in.contains_key("prod"));
}

#[test]
fn a_run_that_is_not_to_be_seen_is_waited_for_and_one_that_is_gone_is_an_error() {
    let mut bench = under_way();
    bench.runs.as_mut().unwrap().runs.clear();
    let plan = bench.pass();
    assert!(matches!(plan.next, Wake::At { .. }));
    assert_eq!(phases(&bench), ["Pending"]);
    bench.runs.as_mut().unwrap().missing = Some(RunLookup::Gone);
    bench.pass();
    assert_eq!(phases(&bench), ["Error"]);
    assert!(verifications(&bench)[0].message.contains("was deleted before it ended"));
}

#[test]
fn without_the_integration_verification_is_an_error_that_says_so() {
    let mut bench = arrived();
    bench.runs = None;
    bench.pass();
    let message = "Rollouts integration is disabled on this controller: cannot start verification";
    assert_eq!(verifications(&bench)[0].message, message);
    let mut bench = under_way();
    bench.runs = None;
    bench.pass();
    let attempt = &verifications(&bench)[0];
    assert!(attempt.message.ends_with("cannot get verification result"));
    assert_eq!((attempt.phase.as_str(), &attempt.analysis_run), ("Error", &None));
}

#[test]
fn what_cannot_be_begun_is_recorded_or_tried_again() {
    let bench = arrived();
    let start = |plan: &crate::stage::Plan| match &plan.effects[..] {
        [.., Effect::StartVerification(start)] => start.clone(),
        effects => panic!("{effects:?}"),
    };
    let mut impossible = bench.plan();
    impossible.verification_impossible(&bench.world(), &start(&impossible.clone()), "no template");
    let attempt = &impossible.status.freight_history[0].verification_history[0];
    assert_eq!((attempt.phase.as_str(), attempt.message.as_str()), ("Error", "no template"));
    assert!(matches!(impossible.next, Wake::Now { .. }));
    let mut postponed = bench.plan();
    postponed.verification_postponed(&bench.world(), "busy");
    assert!(postponed.status.freight_history[0].verification_history.is_empty());
    assert_eq!(postponed.error.as_deref(), Some("error starting verification: busy"));
    assert_eq!(row(&postponed.status.conditions, "Ready"), "False/ReconcileError");
    assert_eq!(row(&postponed.status.conditions, "Reconciling"), "True/RetryAfterError");
}

#[test]
fn a_mark_is_made_only_while_the_stage_is_healthy() {
    let mut bench = Bench::new(&["w1"]).verifying();
    bench.add_freight("a1", "w1");
    let name = bench.promote("a1", json!({}));
    bench.update(&name, |promotion| {
        promotion.status.health_checks =
            serde_json::from_value(json!([{"uses": "probe"}])).unwrap();
    });
    bench.finish(&name, Succeeded);
    let found = |bench: &mut Bench, status| {
        let finding = HealthFinding { status, ..HealthFinding::default() };
        bench.findings.0.insert("probe".to_owned(), finding);
        bench.settle();
    };
    found(&mut bench, HealthState::Healthy);
    say(&mut bench, "Successful", "");
    found(&mut bench, HealthState::Progressing);
    assert!(!is_marked(&bench));
    let marks = |bench: &Bench| {
        let effects = bench.plan().effects;
        effects.iter().any(|effect| match effect {
            Effect::UpdateFreight(update) => {
                update.changes.iter().any(|c| matches!(c, FreightChange::Verify { .. }))
            }
            _ => false,
        })
    };
    assert!(!marks(&bench));
    found(&mut bench, HealthState::Healthy);
    assert!(is_marked(&bench));
}
