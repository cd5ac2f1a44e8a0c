//! What the measurements of a metric come to.

use api_analysis::{AnalysisPhase, MetricResult};

use super::limits::Limits;

/// Whether a metric has passed one of its limits, and which, in words.
pub(super) fn passed_limit(
    limits: &Limits,
    result: &MetricResult,
) -> Option<(AnalysisPhase, String)> {
    // The worst is asked last by upstream and therefore counts; here it is asked first.
    let errors = limits.consecutive_errors;
    if result.consecutive_error > errors {
        let count = result.consecutive_error;
        let message = format!("consecutiveErrors ({count}) > consecutiveErrorLimit ({errors})");
        return Some((AnalysisPhase::Error, message));
    }
    let inconclusive = limits.inconclusive;
    if result.inconclusive > inconclusive {
        let count = result.inconclusive;
        let message = format!("inconclusive ({count}) > inconclusiveLimit ({inconclusive})");
        return Some((AnalysisPhase::Inconclusive, message));
    }
    let failures = limits.failures?;
    (result.failed > failures).then(|| {
        let message = format!("failed ({}) > failureLimit ({failures})", result.failed);
        (AnalysisPhase::Failed, message)
    })
}

/// The phase of a metric that has been measured. When the run ends early, what was good so far
/// stays good.
pub(super) fn phase(limits: &Limits, result: &MetricResult, is_ending: bool) -> AnalysisPhase {
    if result.phase.is_completed() {
        return result.phase.clone();
    }
    let Some(last) = result.measurements.last() else {
        return if is_ending { AnalysisPhase::Successful } else { AnalysisPhase::Pending };
    };
    if !last.phase.is_completed() {
        return AnalysisPhase::Running;
    }
    if let Some((phase, _)) = passed_limit(limits, result) {
        return phase;
    }
    let wanted = limits.consecutive_successes;
    if wanted.is_some_and(|wanted| result.consecutive_success >= wanted) {
        return AnalysisPhase::Successful;
    }
    if limits.count.is_some_and(|count| result.count >= count) {
        return match (wanted, limits.failures) {
            (None, _) => AnalysisPhase::Successful,
            (Some(_), Some(_)) => AnalysisPhase::Inconclusive,
            (Some(_), None) => AnalysisPhase::Failed,
        };
    }
    if is_ending { AnalysisPhase::Successful } else { AnalysisPhase::Running }
}

/// Whether `phase` is worse than `other`; both have ended.
pub(super) fn is_worse(phase: &AnalysisPhase, other: &AnalysisPhase) -> bool {
    let rank = |phase: &AnalysisPhase| match phase {
        AnalysisPhase::Failed => 3,
        AnalysisPhase::Error => 2,
        AnalysisPhase::Inconclusive => 1,
        _ => 0,
    };
    rank(phase) > rank(other)
}
