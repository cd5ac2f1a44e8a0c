//! What came of an attempt, in the form that tests look at.

use std::time::Duration;

use api_kinds::promotion::PromotionStepStatus;
use core_rules::fault;
use io_exec::Redactor;

use crate::{
    failure::Class,
    outcome::{HealthCheck, Output, Progress},
    step::StepResult,
};

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// What the step reported.
    pub status: PromotionStepStatus,
    /// What it explained, or its error with all causes; blanked.
    pub message: String,
    /// What later steps would see.
    pub output: Option<Output>,
    /// What the error means, if there was one.
    pub class: Option<Class>,
    /// The health check the step asked for.
    pub health_check: Option<HealthCheck>,
    /// When to look again: while running, or as the other side asked after an error.
    pub poll_after: Option<Duration>,
}

impl Attempt {
    pub(super) fn new(result: StepResult, redactor: &Redactor) -> Self {
        match result {
            Ok(outcome) => {
                let (status, poll_after) = match outcome.progress {
                    Progress::Done => (PromotionStepStatus::Succeeded, None),
                    Progress::Skipped => (PromotionStepStatus::Skipped, None),
                    Progress::Running { poll_after } => (PromotionStepStatus::Running, poll_after),
                };
                Self {
                    status,
                    message: redactor.clean(&outcome.message),
                    output: outcome.output,
                    class: None,
                    health_check: outcome.health_check,
                    poll_after,
                }
            }
            Err(error) => Self {
                status: match error.class() {
                    Class::Failed | Class::FailedForNow => PromotionStepStatus::Failed,
                    Class::Fatal | Class::Retryable => PromotionStepStatus::Errored,
                },
                message: redactor.clean(&fault::message(&error)),
                output: error.output().cloned(),
                class: Some(error.class()),
                health_check: None,
                poll_after: error.retry_after(),
            },
        }
    }

    /// The output, empty when there is none.
    pub fn output(&self) -> Output {
        self.output.clone().unwrap_or_default()
    }
}
