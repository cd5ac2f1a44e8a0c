//! Health: by what it is judged, and what the Stage says of it.

use api_kinds::health::HealthState;
use api_kinds::promotion::PromotionPhase::{Failed, Succeeded};
use serde_json::{Value, json};

use super::bench::{Bench, row};
use crate::condition;
use crate::health::HealthFinding;

fn finding(status: HealthState, issues: &[&str]) -> HealthFinding {
    let issues = issues.iter().map(ToString::to_string).collect();
    HealthFinding { status, issues, output: None }
}

/// A Stage that holds Freight `a1`, brought by a Promotion with these checks.
fn holding(checks: Value) -> Bench {
    let mut bench = Bench::new(&["w1"]);
    bench.add_freight("a1", "w1");
    bench.add_freight("a2", "w1");
    let name = bench.promote("a1", json!({}));
    bench.update(&name, |promotion| {
        promotion.status.health_checks = serde_json::from_value(checks).unwrap();
    });
    bench.finish(&name, Succeeded);
    bench
}

fn healthy(bench: &Bench) -> (String, String) {
    let conditions = &bench.stage.status.conditions;
    let message = condition::find(conditions, "Healthy").map(|row| row.message.clone());
    (row(conditions, "Healthy"), message.unwrap_or_default())
}

#[test]
fn without_freight_nothing_is_known() {
    let mut bench = Bench::new(&["w1"]);
    bench.pass();
    assert_eq!(bench.health(), None);
    assert_eq!(healthy(&bench).0, "Unknown/NoFreight");
    assert_eq!(row(&bench.stage.status.conditions, "Verified"), "Unknown/NoFreight");
    assert_eq!(bench.stage.status.freight_summary, "0/1 Fulfilled");
    assert_eq!(bench.stage.status.observed_generation, 1);
}

#[test]
fn the_worst_finding_makes_the_condition() {
    for (status, issues, expected, message) in [
        (
            HealthState::Healthy,
            vec![],
            "True/Healthy",
            "Stage is healthy (performed 1 health checks)",
        ),
        (
            HealthState::Unhealthy,
            vec!["x", "y"],
            "False/Unhealthy",
            "Stage is unhealthy (2 issues in 1 health checks)",
        ),
        (HealthState::Progressing, vec!["x"], "Unknown/Progressing", ""),
        (HealthState::NotApplicable, vec![], "Unknown/NotApplicable", ""),
        (HealthState::Unknown, vec!["x"], "Unknown/Unknown", ""),
        (HealthState::Unset, vec![], "Unknown/Unknown", ""),
    ] {
        let mut bench = holding(json!([{"uses": "probe"}]));
        bench.findings.0.insert("probe".to_owned(), finding(status, &issues));
        bench.pass();
        assert_eq!(healthy(&bench), (expected.to_owned(), message.to_owned()));
    }
}

#[test]
fn without_checks_a_stage_is_healthy_and_verified_at_once() {
    let mut bench = holding(json!([]));
    bench.pass();
    assert_eq!(healthy(&bench).1, "Stage is healthy (performed 0 health checks)");
    assert_eq!(row(&bench.stage.status.conditions, "Ready"), "True/Verified");
    assert_eq!(bench.stage.status.freight_summary, "a1");
}

#[test]
fn after_a_failure_only_the_checks_of_the_last_success_tell() {
    for (checks, expected) in
        [(json!([]), "Unknown/LastPromotionFailed"), (json!([{"uses": "probe"}]), "True/Healthy")]
    {
        let mut bench = holding(checks);
        bench.findings.0.insert("probe".to_owned(), finding(HealthState::Healthy, &[]));
        bench.settle();
        bench.later(1);
        let name = bench.promote("a2", json!({}));
        bench.pass();
        bench.finish(&name, Failed);
        bench.settle();
        assert_eq!(healthy(&bench).0, expected);
        assert_eq!(row(&bench.stage.status.conditions, "Ready"), "False/LastPromotionFailed");
    }
}

#[test]
fn a_promotion_that_never_began_says_nothing_about_health() {
    let mut bench = holding(json!([]));
    let name = bench.promote("a2", json!({}));
    bench.later(1);
    bench.abort(&name);
    bench.settle();
    assert_eq!(healthy(&bench).0, "True/Healthy");
    assert!(bench.freight("a1").status.verified_in.contains_key("prod"));
    assert_eq!(row(&bench.stage.status.conditions, "Ready"), "False/LastPromotionAborted");
}
