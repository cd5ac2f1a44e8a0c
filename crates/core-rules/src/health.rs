//! Health of a Stage, put together from its checks: the worst one decides.

use api_kinds::health::{Health, HealthState};
use serde_json::Value;

/// What one check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HealthFinding {
    /// How what it looks at is.
    pub status: HealthState,
    /// What is wrong.
    pub issues: Vec<String>,
    /// Details, in the form of the check's kind.
    pub output: Option<Value>,
}

impl HealthFinding {
    /// What stands in for the finding of a check whose kind nothing here can carry out.
    pub fn of_unknown_kind(kind: &str) -> Self {
        let issue = format!("no health checker registered for health check kind {kind:?}");
        Self { status: HealthState::Unknown, issues: vec![issue], output: None }
    }
}

/// The worse of two states; of two that are equally bad, the later one.
pub fn merge_health(earlier: HealthState, later: HealthState) -> HealthState {
    if severity(&earlier) > severity(&later) { earlier } else { later }
}

/// The health that the findings amount to. No finding at all is good news.
pub fn aggregate_health(findings: impl IntoIterator<Item = HealthFinding>) -> Health {
    let mut health = Health { status: HealthState::Healthy, ..Health::default() };
    let mut outputs = Vec::new();
    for finding in findings {
        health.status = merge_health(health.status, finding.status);
        health.issues.extend(finding.issues);
        outputs.extend(finding.output);
    }
    health.output = (!outputs.is_empty()).then_some(Value::Array(outputs));
    health
}

fn severity(state: &HealthState) -> u8 {
    match state {
        HealthState::Unhealthy => 4,
        HealthState::Unknown => 3,
        HealthState::Progressing => 2,
        HealthState::NotApplicable => 1,
        HealthState::Healthy | HealthState::Unset | HealthState::Other(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::health::HealthState;

    use super::{HealthFinding, aggregate_health};

    #[test]
    fn without_checks_a_stage_is_healthy() {
        let health = aggregate_health([]);
        assert_eq!(health.status, HealthState::Healthy);
        assert_eq!(health.output, None);
    }

    #[test]
    fn a_kind_nobody_knows_makes_health_unknown() {
        let health = aggregate_health([HealthFinding::of_unknown_kind("x")]);
        assert_eq!(health.status, HealthState::Unknown);
        assert_eq!(health.issues, ["no health checker registered for health check kind \"x\""]);
    }
}
