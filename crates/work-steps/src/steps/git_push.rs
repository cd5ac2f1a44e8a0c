//! `git-push`: pushes what a work tree stands at to a branch, or one of its tags.
//!
//! Remote changes are taken in first, as the operator's policy says. Somebody who is faster, or a server
//! that stumbles, is met again after a growing wait; what the server refuses for good is not.

use std::sync::Arc;

use io_git::{Backoff, Publication, Push, Repository, Store, WorkTree};
use io_scm::Provider;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::git;
use crate::{Credentials, Effect, Network, Outcome, Settings, Step, StepCx, StepError, StepResult};

const DEFAULT_ATTEMPTS: u32 = 10;

/// The step.
pub(crate) struct GitPush;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["generateTargetBranch"], "properties": {"generateTargetBranch": {"const": true}, "targetBranch": {"enum": ["", null]}, "tag": {"enum": ["", null]}}},
    {"required": ["targetBranch"], "properties": {"generateTargetBranch": {"enum": [false, null]}, "targetBranch": {"minLength": 1}, "tag": {"enum": ["", null]}}},
    {"required": ["tag"], "properties": {"generateTargetBranch": {"enum": [false, null]}, "targetBranch": {"enum": ["", null]}, "tag": {"minLength": 1}, "force": {"enum": [false, null]}}},
    {"properties": {"generateTargetBranch": {"enum": [false, null]}, "targetBranch": {"enum": ["", null]}, "tag": {"enum": ["", null]}}},
]))]
pub(crate) struct Config {
    /// The work tree, as git-clone made it.
    #[schemars(length(min = 1))]
    path: String,
    /// The branch to push to; the one that the work tree is on when none is named.
    #[serde(default)]
    target_branch: String,
    /// Whether to push to a branch of the Promotion's own, `kargo/promotion/<name>`.
    #[serde(default)]
    generate_target_branch: bool,
    /// A tag of the clone to push instead of a branch.
    #[serde(default)]
    tag: String,
    /// Whether commits that only the remote has are dropped.
    #[serde(default)]
    force: bool,
    /// How often to try when others push at the same time.
    #[serde(default = "default_attempts")]
    #[schemars(range(min = 1, max = 2_147_483_647))]
    max_attempts: u32,
    /// The service that hosts the repository, for the address of the commit.
    #[serde(default)]
    #[schemars(with = "Provider")]
    provider: Option<Provider>,
}

fn default_attempts() -> u32 {
    DEFAULT_ATTEMPTS
}

impl Step for GitPush {
    const KIND: &'static str = "git-push";
    type Config = Config;
    type Needs = (Store, Credentials, Arc<Settings>, Network);

    async fn run(
        &self,
        config: Config,
        (store, credentials, settings, network): Self::Needs,
        cx: &StepCx<'_>,
    ) -> StepResult {
        let tree = git::open(cx, &store, &config.path)?;
        let repository = git::remote(cx, &credentials, &tree).await?;
        let job = Job { cx, tree, repository, settings, network, config: &config };
        let branch = match config.tag.as_str() {
            "" => Some(job.push_branch().await?),
            tag => job.push_tag(tag).await?,
        };
        job.outcome(branch)
    }
}

/// One push, with all it needs.
struct Job<'a> {
    cx: &'a StepCx<'a>,
    tree: WorkTree,
    repository: Repository,
    settings: Arc<Settings>,
    network: Network,
    config: &'a Config,
}

impl Job<'_> {
    async fn push_branch(&self) -> Result<String, StepError> {
        let (branch, force) = self.target()?;
        if self.cx.effects.are_recorded() {
            let (tree, repository) = (&self.tree, &self.repository);
            let preview = git::PushPreview { tree, repository, branch: &branch, force };
            let detail = preview.detail(self.cx).await.map_err(git::failure)?;
            self.intercepted(&detail);
            return Ok(branch);
        }
        let policy = (!force).then_some(self.settings.push_integration);
        let date = self.cx.subject.started_at;
        let publication = Publication { branch: &branch, policy, force, date };
        let mut backoff = Backoff::new(self.config.max_attempts);
        loop {
            let Err(error) = self.tree.publish(&self.repository, publication).await else {
                return Ok(branch);
            };
            let wait = error.is_retryable().then(|| backoff.next(&*self.network.entropy)).flatten();
            let Some(wait) = wait else { return Err(git::failure(error)) };
            self.cx.say(format!("{error}; trying again in {:.1} s", wait.as_secs_f64()));
            self.network.clock.sleep(wait).await;
        }
    }

    /// Pushes a tag, once, and returns the branch that the work tree is on.
    async fn push_tag(&self, tag: &str) -> Result<Option<String>, StepError> {
        let full = format!("refs/tags/{tag}");
        if !self.intercepted(&json!({ "tag": tag })) {
            let push = Push { from: full.clone(), to: full, force: false };
            self.tree.push(&self.repository, &push).await.map_err(git::failure)?;
        }
        self.tree.branch().map_err(git::failure)
    }

    /// The branch to push to, and whether it is ours alone.
    fn target(&self) -> Result<(String, bool), StepError> {
        if self.config.generate_target_branch {
            return Ok((format!("kargo/promotion/{}", self.cx.subject.promotion), true));
        }
        if !self.config.target_branch.is_empty() {
            return Ok((self.config.target_branch.clone(), self.config.force));
        }
        let current = self.tree.branch().map_err(git::failure)?;
        let detached = || {
            StepError::retryable(format!(
                "{} is on no branch: set targetBranch or generateTargetBranch",
                self.config.path
            ))
        };
        Ok((current.ok_or_else(detached)?, self.config.force))
    }

    fn intercepted(&self, detail: &serde_json::Value) -> bool {
        self.cx.effects.intercepts(|| Effect {
            step: self.cx.alias.to_owned(),
            action: "push",
            target: self.tree.address(),
            detail: detail.clone(),
        })
    }

    fn outcome(&self, branch: Option<String>) -> StepResult {
        let commit = self.tree.head().map_err(git::failure)?.to_string();
        let url = self.settings.scm.commit_url(self.config.provider, self.tree.url(), &commit);
        let mut outcome = Outcome::done().with("commit", commit);
        if let Some(branch) = branch {
            outcome = outcome.with("branch", branch);
        }
        if let Some(url) = url {
            outcome = outcome.with("commitURL", url);
        }
        Ok(outcome)
    }
}
