//! What comes of an attempt that met an error.

use std::{error::Error, fmt, time::Duration};

use io_exec::{JailError, archive::ArchiveError};

use crate::outcome::Output;

/// What an error means for the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `Failed` for good: what the user asked for is wrong or was refused.
    Failed,
    /// `Failed`, but another attempt may help.
    FailedForNow,
    /// `Errored` for good: no attempt will help.
    Fatal,
    /// `Errored`; another attempt may help.
    Retryable,
}

/// Why an attempt did not end well: one sentence, and what it means.
#[derive(Debug)]
pub struct StepError {
    class: Class,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    output: Option<Output>,
    retry_after: Option<Duration>,
}

impl StepError {
    fn new(class: Class, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), source: None, output: None, retry_after: None }
    }

    /// `Failed` for good, with a sentence for the user.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Class::Failed, message)
    }

    /// `Failed`, but another attempt may help.
    pub fn failed_for_now(message: impl Into<String>) -> Self {
        Self::new(Class::FailedForNow, message)
    }

    /// `Errored` for good.
    pub fn fatal(message: impl Into<String>) -> Self {
        Self::new(Class::Fatal, message)
    }

    /// `Errored`; another attempt may help.
    pub fn retryable(message: impl Into<String>) -> Self {
        Self::new(Class::Retryable, message)
    }

    /// With its cause, which the message does not repeat.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// With an output that later steps and the next attempt see.
    #[must_use]
    pub fn with_output(mut self, output: Output) -> Self {
        self.output = Some(output);
        self
    }

    /// With the time that the other side asked to be left alone for.
    #[must_use]
    pub fn not_before(mut self, after: Duration) -> Self {
        self.retry_after = Some(after);
        self
    }

    /// What the error means for the step.
    pub fn class(&self) -> Class {
        self.class
    }

    /// The output of the attempt, if it had one.
    pub fn output(&self) -> Option<&Output> {
        self.output.as_ref()
    }

    /// The time that the other side asked to be left alone for.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

/// A refusal is for good; what the system could not do may work another time.
impl From<JailError> for StepError {
    fn from(error: JailError) -> Self {
        let message = error.to_string();
        match error {
            JailError::Io { source, .. } => Self::retryable(message).because(source),
            JailError::GitDirectory { .. } | JailError::Quota { .. } => Self::failed(message),
            _ => Self::retryable(message),
        }
    }
}

impl From<ArchiveError> for StepError {
    fn from(error: ArchiveError) -> Self {
        let message = error.to_string();
        match error {
            ArchiveError::Jail(error) => error.into(),
            ArchiveError::Unreadable { source, .. } => Self::retryable(message).because(source),
            ArchiveError::Target { .. } => Self::failed(message),
            _ => Self::retryable(message),
        }
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for StepError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
