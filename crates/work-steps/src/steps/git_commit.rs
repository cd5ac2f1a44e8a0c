//! `git-commit`: commits every change of a work tree; skipped when there is none.
//!
//! The commit carries the time at which the Promotion started: a repeated step makes the same commit.

use io_git::CommitRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use super::git::{self, Author};
use crate::{Outcome, Step, StepCx, StepResult};

/// The step.
pub(crate) struct GitCommit;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Config {
    /// The work tree, as git-clone made it.
    #[schemars(length(min = 1))]
    path: String,
    /// The message, taken as it is.
    #[schemars(length(min = 1))]
    message: String,
    /// Deprecated: who makes this commit. Name the author in git-clone instead.
    #[serde(default)]
    #[schemars(with = "Author")]
    author: Option<Author>,
}

impl Step for GitCommit {
    const KIND: &'static str = "git-commit";
    const IS_QUIET: bool = true;
    type Config = Config;
    type Needs = io_git::Store;

    async fn run(&self, config: Config, store: io_git::Store, cx: &StepCx<'_>) -> StepResult {
        let tree = git::open(cx, &store, &config.path)?;
        let author = config.author.map(|author| author.identity(cx));
        let request = CommitRequest {
            message: &config.message,
            author: author.as_ref(),
            date: cx.subject.started_at,
            key: cx.alias,
        };
        let committed = tree.commit(request).await.map_err(git::failure)?;
        let outcome = if committed.is_new {
            Outcome::done()
        } else {
            Outcome::skipped("there is nothing to commit")
        };
        Ok(outcome.with("commit", committed.id.to_string()))
    }
}
