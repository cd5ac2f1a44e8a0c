//! What comes of an attempt that went well.

use std::time::Duration;

use serde_json::{Map, Value};

/// What a step hands to later ones, as plain JSON.
pub type Output = Map<String, Value>;

/// What comes of an attempt that met no error.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// How far the step is.
    pub progress: Progress,
    /// What later steps see of it; `None` when there is nothing.
    pub output: Option<Output>,
    /// An explanation for people.
    pub message: String,
    /// A check that the Stage is to repeat from now on, if the step ended.
    pub health_check: Option<HealthCheck>,
}

/// How far a step is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// It ended.
    #[default]
    Done,
    /// There was nothing to do.
    Skipped,
    /// It waits for something outside; look again after this time, or when woken.
    Running { poll_after: Option<Duration> },
}

/// A health check of a Stage.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthCheck {
    /// Kind of check.
    pub kind: &'static str,
    /// What it looks at.
    pub input: Value,
}

impl Outcome {
    /// The step ended, without output.
    pub fn done() -> Self {
        Self::default()
    }

    /// There was nothing to do.
    pub fn skipped(why: impl Into<String>) -> Self {
        Self { progress: Progress::Skipped, message: why.into(), ..Self::default() }
    }

    /// The step waits for something outside.
    pub fn running(poll_after: Option<Duration>) -> Self {
        Self { progress: Progress::Running { poll_after }, ..Self::default() }
    }

    /// With one more member of the output.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.output.get_or_insert_default().insert(name.to_owned(), value.into());
        self
    }

    /// With this output.
    #[must_use]
    pub fn with_output(mut self, output: Output) -> Self {
        self.output = Some(output);
        self
    }

    /// With this explanation.
    #[must_use]
    pub fn saying(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// With a health check.
    #[must_use]
    pub fn checked_by(mut self, check: HealthCheck) -> Self {
        self.health_check = Some(check);
        self
    }
}
