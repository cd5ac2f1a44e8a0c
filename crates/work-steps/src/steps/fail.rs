//! `fail`: ends in failure, always. For branches of a process that must not be reached.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct Fail;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// Why; shown to people.
    #[serde(default)]
    #[schemars(length(min = 1))]
    message: String,
}

impl Step for Fail {
    const KIND: &'static str = "fail";
    type Config = Config;
    type Needs = ();

    async fn run(&self, config: Config, (): (), _: &StepCx<'_>) -> StepResult {
        Err(StepError::failed(if config.message.is_empty() {
            "failed".to_owned()
        } else {
            format!("failed: {}", config.message)
        }))
    }
}
