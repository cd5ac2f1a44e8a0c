//! Runs from their first measurement to their end.

use api_analysis::{AnalysisPhase, AnalysisRun, Measurement};
use serde_json::{Value, json};

use super::*;

const START: i64 = 1_767_225_600;

fn at(seconds: i64) -> Time {
    Time::from_seconds(START + seconds)
}

fn run(spec: Value) -> AnalysisRun {
    serde_json::from_value(json!({"metadata": {"name": "r", "namespace": "p"}, "spec": spec}))
        .unwrap()
}

/// A metric that asks a web server, with further fields.
fn metric(name: &str, fields: Value) -> Value {
    let mut metric = json!({"name": name, "provider": {"web": {"url": "http://x"}}});
    metric.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    metric
}

fn round(run: &AnalysisRun, seconds: i64) -> Round {
    match plan(run, at(seconds)) {
        Plan::Measure(round) => *round,
        other => panic!("{other:?}"),
    }
}

fn measured(phase: &AnalysisPhase, seconds: i64) -> Measurement {
    let message = if *phase == AnalysisPhase::Error { "no route" } else { "" };
    let time = Some(to_wire(at(seconds)));
    Measurement {
        phase: phase.clone(),
        message: message.to_owned(),
        started_at: time.clone(),
        finished_at: time,
        ..Measurement::default()
    }
}

/// One look at a time, in which every metric that is due is measured with the phase that `answer`
/// gives. Says which metrics were due, and when to look again.
fn look(
    run: &mut AnalysisRun,
    seconds: i64,
    mut answer: impl FnMut(&str) -> AnalysisPhase,
) -> (Vec<String>, Option<Duration>) {
    let mut round = round(run, seconds);
    let due: Vec<_> = round.due(at(seconds)).into_iter().cloned().collect();
    for metric in &due {
        round.record(&metric.name, measured(&answer(&metric.name), seconds));
    }
    let mut ended = round.assess();
    ended.extend(round.assess());
    let conclusion = round.conclude(ended, at(seconds));
    run.status = conclusion.status;
    (due.into_iter().map(|metric| metric.name).collect(), conclusion.next)
}

fn phase_of(letter: char) -> AnalysisPhase {
    match letter {
        's' => AnalysisPhase::Successful,
        'f' => AnalysisPhase::Failed,
        'i' => AnalysisPhase::Inconclusive,
        _ => AnalysisPhase::Error,
    }
}

/// Carries a run of one metric out whose measurements come to these phases, one letter each.
fn outcome(fields: Value, letters: &str) -> (String, String, usize) {
    let mut run = run(json!({"metrics": [metric("m", fields)]}));
    let mut taken = 0;
    let mut now = 0;
    for letter in letters.chars() {
        let (due, next) = look(&mut run, now, |_| phase_of(letter));
        taken += due.len();
        now += next.map_or(0, |next| i64::try_from(next.as_secs()).unwrap());
        if run.status.phase.is_completed() {
            break;
        }
    }
    (run.status.phase.to_string(), run.status.message, taken)
}

#[test]
fn limits_decide_how_a_metric_ends() {
    let every = |fields: Value| {
        let mut all = json!({"interval": "10s", "count": 5});
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        all
    };
    let failed = "Metric \"m\" assessed Failed due to failed";
    let rows = [
        (json!({}), "s", "Successful", "", 1),
        (json!({}), "f", "Failed", "failed (1) > failureLimit (0)", 1),
        (json!({}), "i", "Inconclusive", "inconclusive (1) > inconclusiveLimit (0)", 1),
        (json!({}), "es", "Successful", "", 2),
        (
            json!({}),
            "eeeee",
            "Error",
            "consecutiveErrors (5) > consecutiveErrorLimit (4): \"Error Message: no route\"",
            5,
        ),
        (json!({"consecutiveErrorLimit": 1}), "ee", "Error", "(2) > consecutiveErrorLimit (1)", 2),
        (every(json!({})), "sssss", "Successful", "", 5),
        (every(json!({"failureLimit": 1})), "sfsss", "Successful", "", 5),
        (every(json!({"failureLimit": 1})), "sff", "Failed", "failed (2) > failureLimit (1)", 3),
        (every(json!({"failureLimit": "2"})), "fffs", "Failed", "failed (3) > failureLimit (2)", 3),
        (every(json!({"inconclusiveLimit": 1})), "isii", "Inconclusive", "(2) > inconclusive", 3),
        (every(json!({})), "seseeseess", "Successful", "", 10),
        (every(json!({"consecutiveSuccessLimit": 3})), "sss", "Successful", "", 3),
        (
            every(json!({"consecutiveSuccessLimit": 3, "failureLimit": 2})),
            "ssfss",
            "Inconclusive",
            "",
            5,
        ),
        (
            every(json!({"consecutiveSuccessLimit": 3, "failureLimit": -1})),
            "sfsfs",
            "Failed",
            "",
            5,
        ),
        (json!({"interval": "1m"}), "ssssssssssss", "Running", "", 12),
    ];
    for (fields, letters, phase, message, count) in rows {
        let (got, why, taken) = outcome(fields.clone(), letters);
        assert_eq!((got.as_str(), taken), (phase, count), "{fields} {letters}");
        assert_eq!(why.is_empty(), message.is_empty(), "{fields} {letters}: {why}");
        assert!(why.contains(message), "{fields} {letters}: {why}");
    }
    let (_, why, _) = outcome(json!({}), "f");
    assert_eq!(why, format!("{failed} (1) > failureLimit (0)"));
}

#[test]
fn measurements_wait_for_their_time() {
    let spec = json!({"metrics": [
        metric("late", json!({"initialDelay": "1m"})),
        metric("often", json!({"interval": "20s", "count": 3})),
    ]});
    let mut run = run(spec);
    let good = |_: &str| AnalysisPhase::Successful;
    let mut seen = Vec::new();
    for seconds in [0, 5, 20, 45, 59, 60] {
        let (due, next) = look(&mut run, seconds, good);
        seen.push((seconds, due.join(" "), next.map(|next| next.as_secs())));
    }
    let expected = [
        (0, "often", Some(20)),
        (5, "", Some(15)),
        (20, "often", Some(20)),
        (45, "often", Some(15)),
        (59, "", Some(1)),
        (60, "late", None),
    ];
    let expected = expected.map(|(at, due, next)| (at, due.to_owned(), next));
    assert_eq!(seen, expected);
    assert_eq!(run.status.phase, AnalysisPhase::Successful);
    assert_eq!(run.status.started_at, Some(to_wire(at(0))));
    assert_eq!(run.status.completed_at, Some(to_wire(at(60))));
}

#[test]
fn no_metric_is_measured_all_the_time() {
    let mut run = run(json!({"metrics": [metric("m", json!({"interval": "0s"}))]}));
    let (_, next) = look(&mut run, 0, |_| AnalysisPhase::Successful);
    assert_eq!(next, Some(Duration::from_secs(1)));
}

#[test]
fn the_worst_metric_ends_the_others() {
    let spec = json!({"metrics": [
        metric("good", json!({"interval": "10s"})),
        metric("bad", json!({})),
        metric("late", json!({"initialDelay": "1h"})),
    ]});
    let mut run = run(spec);
    look(&mut run, 0, |name| phase_of(if name == "bad" { 'f' } else { 's' }));
    assert_eq!(run.status.phase, AnalysisPhase::Failed);
    assert_eq!(
        run.status.message,
        "Metric \"bad\" assessed Failed due to failed (1) > failureLimit (0)"
    );
    let phases: Vec<_> =
        run.status.metric_results.iter().map(|r| (r.name.as_str(), r.phase.as_str())).collect();
    assert_eq!(phases, [("good", "Successful"), ("bad", "Failed")]);
    let summary = json!(run.status.run_summary);
    assert_eq!(summary, json!({"count": 3, "successful": 1, "failed": 1}));
}

#[test]
fn the_outcome_of_a_dry_run_does_not_count() {
    let spec = json!({
        "metrics": [metric("real", json!({})), metric("dry-1", json!({})), metric("dry-2", json!({}))],
        "dryRun": [{"metricName": "dry.*"}],
    });
    let mut run = run(spec);
    look(&mut run, 0, |name| phase_of(if name == "dry-1" { 'f' } else { 's' }));
    assert_eq!((run.status.phase.as_str(), run.status.message.as_str()), ("Successful", ""));
    let dry = run.status.metric_results.iter().find(|result| result.name == "dry-1").unwrap();
    assert_eq!(dry.message, "Metric assessed Failed due to failed (1) > failureLimit (0)");
    assert!(dry.dry_run);
    assert_eq!(
        json!(run.status.dry_run_summary),
        json!({"count": 2, "successful": 1, "failed": 1})
    );
}

#[test]
fn a_run_that_is_told_to_end_keeps_what_was_good() {
    let spec = json!({"metrics": [metric("m", json!({"interval": "10s"}))]});
    let mut untouched = run(spec.clone());
    untouched.spec.terminate = true;
    look(&mut untouched, 0, |_| panic!("nothing is measured any more"));
    assert_eq!(untouched.status.phase, AnalysisPhase::Successful);
    assert_eq!(untouched.status.message, "Run Terminated");
    let mut begun = run(spec);
    look(&mut begun, 0, |_| AnalysisPhase::Successful);
    begun.spec.terminate = true;
    look(&mut begun, 60, |_| panic!("nothing is measured any more"));
    assert_eq!(
        (begun.status.phase.as_str(), begun.status.message.as_str()),
        ("Successful", "Run Terminated")
    );
}

#[test]
fn a_measurement_under_way_is_ended_and_counts_once() {
    let job = json!({"name": "j", "provider": {"job": {"spec": {}}}});
    let mut run = run(json!({"metrics": [job]}));
    let mut first = round(&run, 0);
    let metric = first.due(at(0))[0].clone();
    let open = Measurement { finished_at: None, ..measured(&AnalysisPhase::Running, 0) };
    first.record(&metric.name, open);
    let ended = first.assess();
    run.status = first.conclude(ended, at(0)).status;
    assert_eq!(run.status.phase, AnalysisPhase::Running);
    let mut second = round(&run, 5);
    assert!(second.due(at(5)).is_empty());
    let (metric, _) = second.unfinished().remove(0);
    second.record(&metric, measured(&AnalysisPhase::Successful, 5));
    let ended = second.assess();
    assert_eq!(ended, [("j".to_owned(), AnalysisPhase::Successful)]);
    let status = second.conclude(ended, at(5)).status;
    let result = &status.metric_results[0];
    assert_eq!((result.count, result.measurements.len()), (1, 1));
    assert_eq!(status.phase, AnalysisPhase::Successful);
}

#[test]
fn old_measurements_are_dropped() {
    let spec = json!({
        "metrics": [metric("a", json!({"interval": "1s"})), metric("b", json!({"interval": "1s"}))],
        "measurementRetention": [{"metricName": "b", "limit": 3}],
    });
    let mut run = run(spec);
    for seconds in 0..20 {
        look(&mut run, seconds, |_| AnalysisPhase::Successful);
    }
    let kept: Vec<_> =
        run.status.metric_results.iter().map(|r| (r.count, r.measurements.len())).collect();
    assert_eq!(kept, [(20, 10), (20, 3)]);
}

#[test]
fn what_cannot_be_carried_out_says_why() {
    let one = |fields: Value| json!({"metrics": [metric("m", fields)]});
    let rows = [
        (json!({"metrics": []}), "Analysis spec invalid: no metrics specified"),
        (
            json!({"metrics": vec![metric("m", json!({})); 101]}),
            "Analysis spec invalid: metrics: more than 100 entries",
        ),
        (
            json!({"metrics": [metric("m", json!({})), metric("m", json!({}))]}),
            "Analysis spec invalid: metrics[1]: duplicate name 'm'",
        ),
        (one(json!({"count": 2})), "interval must be specified when count > 1"),
        (one(json!({"interval": "soon"})), "invalid interval string: \"soon\""),
        (one(json!({"failureLimit": -2})), "failureLimit must be >= 0, or -1"),
        (one(json!({"failureLimit": -1})), "cannot both be disabled"),
        (one(json!({"inconclusiveLimit": -1})), "inconclusiveLimit must be >= 0"),
        (one(json!({"consecutiveErrorLimit": -1})), "consecutiveErrorLimit must be >= 0"),
        (one(json!({"count": 1, "failureLimit": 2})), "count (1) must be >= failureLimit + "),
        (one(json!({"successCondition": "result >"})), "metrics[0]: invalid successCondition"),
        (one(json!({"provider": {}})), "metrics[0]: no provider specified"),
        (
            json!({"metrics": [metric("m", json!({}))], "dryRun": [{"metricName": "x"}]}),
            "Analysis spec invalid: dryRun[0]: Rule didn't match any metric name(s)",
        ),
        (
            json!({"metrics": [metric("m", json!({}))], "args": [{"name": "a"}]}),
            "Unable to resolve metric arguments: argument \"a\" was not supplied",
        ),
        (
            one(json!({"successCondition": "{{args.a}}"})),
            "Unable to resolve metric arguments: failed to resolve {{args.a}}",
        ),
    ];
    for (spec, expected) in rows {
        let Plan::Refuse(status) = plan(&run(spec.clone()), at(0)) else { panic!("{spec}") };
        assert_eq!(status.phase, AnalysisPhase::Error);
        assert!(status.message.contains(expected), "{}", status.message);
        assert_eq!(status.completed_at, Some(to_wire(at(0))));
    }
}

#[test]
fn what_has_ended_lives_as_long_as_its_strategy_says() {
    let lives = |strategy: Value, phase: &str, seconds: i64| {
        let mut run = run(json!({"metrics": [], "ttlStrategy": strategy}));
        run.status.phase = serde_json::from_value(json!(phase)).unwrap();
        run.status.completed_at = Some(to_wire(at(0)));
        let Plan::Keep(left) = plan(&run, at(seconds)) else { panic!("it has ended") };
        left.map(|left| left.as_secs())
    };
    let both = json!({"secondsAfterCompletion": 60, "secondsAfterSuccess": 10});
    assert_eq!(lives(both.clone(), "Successful", 4), Some(6));
    assert_eq!(lives(both.clone(), "Failed", 4), Some(56));
    assert_eq!(lives(both, "Error", 90), Some(0));
    assert_eq!(lives(json!({"secondsAfterFailure": 5}), "Successful", 90), None);
    assert_eq!(lives(Value::Null, "Successful", 90), None);
}
