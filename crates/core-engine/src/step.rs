//! The steps of a Promotion as the engine sees them.

use std::time::Duration;

use api_kinds::step::PromotionStepRetry;

/// One step: its names and rules, not what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Alias, with that of its task before it.
    pub alias: String,
    /// Kind, for messages.
    pub kind: String,
    /// Whether an expression decides if the step runs; without one it runs unless an earlier step failed.
    pub has_condition: bool,
    /// Whether its failure is left out of account.
    pub continue_on_error: bool,
    /// When to give up; `None` when nobody knows the kind.
    pub limits: Option<Limits>,
    /// Whether its output goes to its task too.
    pub feeds_task: bool,
}

/// When to give up on a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long the step may take with all its repetitions; `None` is without limit.
    pub timeout: Option<Duration>,
    /// How many errors in a row end the step; at least 1.
    pub error_threshold: u32,
}

impl Limits {
    /// What the user set, and for the rest what the kind of step has. A timeout that is not positive stands
    /// for no limit.
    #[must_use]
    pub fn overridden(self, retry: Option<&PromotionStepRetry>) -> Self {
        let Some(retry) = retry else { return self };
        let timeout = match retry.timeout {
            Some(timeout) => Duration::try_from(timeout).ok().filter(|timeout| !timeout.is_zero()),
            None => self.timeout,
        };
        let threshold = Some(retry.error_threshold).filter(|threshold| *threshold > 0);
        Self { timeout, error_threshold: threshold.unwrap_or(self.error_threshold).max(1) }
    }
}
