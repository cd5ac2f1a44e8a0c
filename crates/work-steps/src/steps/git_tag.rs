//! `git-tag`: makes an annotated tag of the commit that a work tree stands at. `git-push` publishes it.

use io_git::TagRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use super::git;
use crate::{Outcome, Step, StepCx, StepResult};

/// The step.
pub(crate) struct GitTag;

/// Its configuration. Unknown members are accepted, as the reference does.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Config {
    /// The work tree, as git-clone made it.
    #[schemars(length(min = 1))]
    path: String,
    /// The name of the tag.
    #[schemars(length(min = 1))]
    tag: String,
    /// The message.
    #[schemars(length(min = 1))]
    message: String,
    /// Whether it may replace a tag of the clone.
    #[serde(default)]
    force: bool,
}

impl Step for GitTag {
    const KIND: &'static str = "git-tag";
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = io_git::Store;

    async fn run(&self, config: Config, store: io_git::Store, cx: &StepCx<'_>) -> StepResult {
        let tree = git::open(cx, &store, &config.path)?;
        let request = TagRequest {
            name: &config.tag,
            message: &config.message,
            force: config.force,
            date: cx.subject.started_at,
            key: cx.alias,
        };
        let commit = tree.tag(request).await.map_err(git::failure)?;
        Ok(Outcome::done().with("commit", commit.to_string()))
    }
}
