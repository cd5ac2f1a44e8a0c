//! The final phase: the worst of what counts.

use api_kinds::promotion::{PromotionPhase, PromotionStepStatus, StepExecutionMetadata};
use core_rules::step::status_severity;

/// How a Promotion ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The phase.
    pub phase: PromotionPhase,
    /// Why, for people.
    pub message: String,
}

/// Whether a step that counts failed or met an error.
pub fn has_failures(records: &[StepExecutionMetadata]) -> bool {
    records.iter().filter(|record| !record.continue_on_error).any(|record| {
        matches!(record.status, PromotionStepStatus::Failed | PromotionStepStatus::Errored)
    })
}

/// The phase that the records of all steps add up to, with the message of the first of the worst.
pub fn final_phase(records: &[StepExecutionMetadata]) -> End {
    let counting = records.iter().filter(|record| !record.continue_on_error);
    let worst = counting.fold(None, |worst: Option<&StepExecutionMetadata>, record| match worst {
        Some(worst) if status_severity(&worst.status) >= status_severity(&record.status) => {
            Some(worst)
        }
        _ => Some(record),
    });
    let Some(worst) = worst else {
        return End { phase: PromotionPhase::Succeeded, message: String::new() };
    };
    let (phase, message) = match worst.status {
        PromotionStepStatus::Succeeded => (PromotionPhase::Succeeded, ""),
        PromotionStepStatus::Skipped => (PromotionPhase::Succeeded, worst.message.as_str()),
        PromotionStepStatus::Aborted => (PromotionPhase::Aborted, worst.message.as_str()),
        PromotionStepStatus::Failed => (PromotionPhase::Failed, worst.message.as_str()),
        _ => (PromotionPhase::Errored, worst.message.as_str()),
    };
    End { phase, message: message.to_owned() }
}
