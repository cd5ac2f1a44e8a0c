//! What an attempt of a step reports.

use std::time::Duration;

use api_kinds::{health::HealthCheckStep, promotion::PromotionStepStatus};
use serde_json::{Map, Value};

/// What an attempt of a step reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempt {
    /// How far the step is, as it sees it.
    pub status: PromotionStepStatus,
    /// An explanation for people.
    pub message: String,
    /// What later steps see.
    pub output: Option<Map<String, Value>>,
    /// The error it met.
    pub fault: Option<Fault>,
    /// A check that the Stage repeats once the step succeeded.
    pub health_check: Option<HealthCheckStep>,
    /// When the step wants to be looked at again.
    pub retry_after: Option<Duration>,
}

/// An error of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// One sentence.
    pub message: String,
    /// Whether no further attempt will help.
    pub is_final: bool,
}

impl Attempt {
    /// An attempt that met an error.
    pub fn fault(status: PromotionStepStatus, message: impl Into<String>, is_final: bool) -> Self {
        let fault = Fault { message: message.into(), is_final };
        Self { status, fault: Some(fault), ..Self::default() }
    }

    /// The error in the words that users read: which step, and what.
    pub(crate) fn wrapped_fault(&self, alias: &str) -> Option<Fault> {
        let Fault { message, is_final } = self.fault.as_ref()?;
        let message = match self.status {
            PromotionStepStatus::Errored => format!("error running step {alias:?}: {message}"),
            _ => format!("step {alias:?}: {message}"),
        };
        Some(Fault { message, is_final: *is_final })
    }

    /// The error of an attempt that reports one by its status only.
    pub(crate) fn implied_fault(&self, alias: &str) -> Option<Fault> {
        let details = if self.message.is_empty() { "no details provided" } else { &self.message };
        (self.status == PromotionStepStatus::Errored && self.fault.is_none()).then(|| Fault {
            message: format!("step {alias:?} errored: {details}"),
            is_final: false,
        })
    }
}
