//! `compose-output`: its configuration becomes its output, in a task also the task's.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Outcome, Step, StepCx, StepResult};

/// The step.
pub(crate) struct ComposeOutput;

/// Its configuration: any members, at least one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent, extend("minProperties" = 1))]
pub(crate) struct Config(Map<String, Value>);

impl Step for ComposeOutput {
    const KIND: &'static str = "compose-output";
    const FEEDS_TASK: bool = true;
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), _: &StepCx<'_>) -> StepResult {
        Ok(Outcome::done().with_output(config.0))
    }
}
