//! `health-merge`, `health-aggregate`: the health of a Stage out of that of its parts.

use api_kinds::health::{Health, HealthState};
use core_rules::health::{HealthFinding, aggregate_health, merge_health};
use serde_json::{Value, json};

use crate::{Answer, Case};

/// Kinds that no checker is registered for, by agreement of the family.
const UNREGISTERED: &str = "unregistered";

pub(super) fn run_merge(case: &Case<'_>) -> Answer {
    let state = |name: &str| HealthState::from(case.text(name));
    Answer::value(merge_health(state("a"), state("b")).as_str())
}

pub(super) fn run_aggregate(case: &Case<'_>) -> Answer {
    let checks = case.member("checks").and_then(Value::as_array);
    let findings = checks.into_iter().flatten().map(finding);
    Answer::value(json!(aggregate_health(findings)))
}

fn finding(check: &Value) -> HealthFinding {
    let kind = check.get("kind").and_then(Value::as_str).unwrap_or_default();
    if kind == UNREGISTERED {
        return HealthFinding::of_unknown_kind(kind);
    }
    let result = check.get("result").cloned().unwrap_or_default();
    let Health { status, issues, output, .. } = serde_json::from_value(result).unwrap_or_default();
    HealthFinding { status, issues, output }
}
