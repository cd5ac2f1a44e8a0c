//! What becomes of a PromotionRequest whose turn it is.

use api_kinds::condition::{ConditionStatus, types};
use api_kinds::promotion_request::{PromotionRequestPhase, PromotionRequestStatus};
use api_kinds::{PromotionRequest, Stage};
use core_clock::Time;

use crate::condition::{self, Observation};
use crate::wire_time::to_wire;

/// The status to write to a PromotionRequest now; `None` when there is nothing new to say. With no
/// Targets it succeeds as soon as it is its turn. With Targets it ends, because promotion to Targets
/// is not available.
pub fn request_status(
    request: &PromotionRequest,
    stage: Option<&Stage>,
    now: Time,
) -> Option<PromotionRequestStatus> {
    let status = &request.status;
    if status.phase.is_terminal() || request.metadata.deletion_timestamp.is_some() {
        return None;
    }
    let current = stage.and_then(|stage| stage.status.current_promotion_request.as_ref());
    let is_current = current.is_some_and(|c| request.metadata.name.as_ref() == Some(&c.name));
    if !is_current {
        let is_new = status.phase == PromotionRequestPhase::Unset;
        return is_new.then(|| pending(request, now));
    }
    let targets = request.spec.targets.len();
    let (phase, is_ready, reason, message) = if targets == 0 {
        let message = "The Stage selects no Targets: there was nothing to do".to_owned();
        (PromotionRequestPhase::Succeeded, ConditionStatus::True, "Succeeded", message)
    } else {
        let message = format!(
            "Promotion to Targets ({targets} here) is not available in this version; take \
             spec.targets out of Stage {:?} to promote to it as a whole",
            request.spec.stage
        );
        (PromotionRequestPhase::Errored, ConditionStatus::False, "FanOutUnavailable", message)
    };
    let mut ended = with_ready(request, is_ready, reason, &message, now);
    ended.phase = phase;
    ended.started_at = status.started_at.clone().or_else(|| Some(to_wire(now)));
    ended.finished_at = Some(to_wire(now));
    Some(ended)
}

fn pending(request: &PromotionRequest, now: Time) -> PromotionRequestStatus {
    let message = "Waiting for its turn in the queue of the Stage";
    let status = with_ready(request, ConditionStatus::False, "Pending", message, now);
    PromotionRequestStatus { phase: PromotionRequestPhase::Pending, ..status }
}

fn with_ready(
    request: &PromotionRequest,
    status: ConditionStatus,
    reason: &str,
    message: &str,
    now: Time,
) -> PromotionRequestStatus {
    let generation = request.metadata.generation.unwrap_or_default();
    let mut new = request.status.clone();
    new.observed_generation = generation;
    let observed = Observation { r#type: types::READY, status, reason, message, generation };
    condition::set(&mut new.conditions, observed, now);
    new
}
