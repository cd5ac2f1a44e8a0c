//! The logs of metrics that Jobs measure: which log is meant, where it is, and how its bytes become
//! events that a browser reads.
//!
//! Somebody else keeps the logs. Its address is a template of the installation; what it answers is
//! decoded as it comes and cut into events, never inside a character.

mod address;
mod decode;
mod frame;
mod selection;
#[cfg(test)]
mod tests;

pub use address::{HeaderError, Headers, LogAddress, LogHeader, LogSettings, address};
pub use decode::{Charset, Decoder};
pub use frame::{END, MAX_CHUNK, error_frame, frames};
pub use selection::{LogSubject, RunNotFound, stage_of, subject};

use crate::fault::{Class, Fault};

/// A log that cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are what the texts name")]
pub enum LogError {
    #[error("AnalysisRun log streaming is not configured")]
    NotConfigured,
    #[error("metric {metric:?} of AnalysisRun {run:?} is not measured by a Job")]
    MetricNotFound { metric: String, run: String },
    #[error("AnalysisRun {run:?} has no metric that a Job measures")]
    NoMetric { run: String },
    #[error("AnalysisRun {run:?} has several metrics that Jobs measure: name one of {names}")]
    AmbiguousMetric { run: String, names: String },
    #[error("the Job of metric {metric:?} has no container {container:?}")]
    ContainerNotFound { metric: String, container: String },
    #[error("the Job of metric {metric:?} has no containers")]
    NoContainer { metric: String },
    #[error("the Job of metric {metric:?} has several containers: name one of {names}")]
    AmbiguousContainer { metric: String, names: String },
    #[error("metric {metric:?} of AnalysisRun {run:?} has not been measured yet")]
    NotMeasured { metric: String, run: String },
    #[error("AnalysisRun {run:?} does not say which Stage it verifies")]
    NoStage { run: String },
    #[error("the {what} of the logs cannot be told: {reason}")]
    Template { what: String, reason: String },
    #[error("the keeper of the logs answered with status {status}")]
    Keeper { status: u16 },
}

impl Fault for LogError {
    fn class(&self) -> Class {
        match self {
            Self::NotConfigured => Class::NotImplemented,
            Self::AmbiguousMetric { .. } | Self::AmbiguousContainer { .. } => Class::BadRequest,
            Self::Template { .. } | Self::Keeper { .. } => Class::BadGateway,
            _ => Class::NotFound,
        }
    }
}
