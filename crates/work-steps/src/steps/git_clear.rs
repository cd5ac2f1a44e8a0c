//! `git-clear`: removes everything from a work tree, tracked or not, but what is ignored.

use schemars::JsonSchema;
use serde::Deserialize;

use super::git;
use crate::{Outcome, Step, StepCx, StepResult};

/// The step.
pub(crate) struct GitClear;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The work tree, as git-clone made it.
    #[schemars(length(min = 1))]
    path: String,
}

impl Step for GitClear {
    const KIND: &'static str = "git-clear";
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = io_git::Store;

    async fn run(&self, config: Config, store: io_git::Store, cx: &StepCx<'_>) -> StepResult {
        let tree = git::open(cx, &store, &config.path)?;
        tree.clear().await.map_err(git::failure)?;
        Ok(Outcome::done())
    }
}
