//! The contract of a promotion step.

use std::time::Duration;

use futures::{FutureExt, future::BoxFuture};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{context::StepCx, failure::StepError, need::Needs, outcome::Outcome, port::Ports};

/// What comes of one attempt.
pub type StepResult = Result<Outcome, StepError>;

/// When to give up on a step, unless the user says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// How long the step may take with all its repetitions; `None` is without limit.
    pub timeout: Option<Duration>,
    /// How many errors in a row make the step fail.
    pub error_threshold: u32,
}

impl Defaults {
    /// Gives up at the first error, however long it took.
    pub const IMMEDIATE: Self = Self { timeout: None, error_threshold: 1 };
}

/// A kind of step. The driver, not the step, validates the configuration, keeps time, retries, blanks
/// secrets, and writes logs and state. Dropping the future of [`Step::run`] cancels the attempt.
pub trait Step: Send + Sync + 'static {
    /// The name that `uses` refers to.
    const KIND: &'static str;
    /// When to give up.
    const DEFAULTS: Defaults = Defaults::IMMEDIATE;
    /// Whether a step of a task also gives its output to the task.
    const FEEDS_TASK: bool = false;
    /// Whether it changes nothing outside the work directory, whatever else it may reach.
    const IS_QUIET: bool = Self::Needs::IS_QUIET;
    /// The configuration; its schema is what users' configurations are held to.
    type Config: DeserializeOwned + JsonSchema + Send;
    /// The capabilities the step works with; nothing else reaches it.
    type Needs: Needs;

    /// Makes one attempt.
    fn run(
        &self,
        config: Self::Config,
        needs: Self::Needs,
        cx: &StepCx<'_>,
    ) -> impl Future<Output = StepResult> + Send;
}

/// A step of any kind.
pub trait AnyStep: Send + Sync {
    /// The name that `uses` refers to.
    fn kind(&self) -> &'static str;
    /// When to give up.
    fn defaults(&self) -> Defaults;
    /// Whether a step of a task also gives its output to the task.
    fn feeds_task(&self) -> bool;
    /// Whether it can change nothing outside the work directory.
    fn is_quiet(&self) -> bool;
    /// What configurations must look like.
    fn schema(&self) -> Schema;
    /// Makes one attempt with a configuration that the schema accepted.
    fn attempt<'a>(
        &'a self,
        config: Value,
        ports: &'a Ports,
        cx: &'a StepCx<'a>,
    ) -> BoxFuture<'a, StepResult>;
}

impl<S: Step> AnyStep for S {
    fn kind(&self) -> &'static str {
        S::KIND
    }

    fn defaults(&self) -> Defaults {
        S::DEFAULTS
    }

    fn feeds_task(&self) -> bool {
        S::FEEDS_TASK
    }

    fn is_quiet(&self) -> bool {
        S::IS_QUIET
    }

    fn schema(&self) -> Schema {
        let settings =
            SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        SchemaGenerator::new(settings).into_root_schema_for::<S::Config>()
    }

    fn attempt<'a>(
        &'a self,
        config: Value,
        ports: &'a Ports,
        cx: &'a StepCx<'a>,
    ) -> BoxFuture<'a, StepResult> {
        async move {
            let config = serde_json::from_value(config).map_err(|error| {
                StepError::failed(format!("invalid {} config: {error}", S::KIND))
            })?;
            self.run(config, S::Needs::from_ports(ports, cx)?, cx).await
        }
        .boxed()
    }
}
