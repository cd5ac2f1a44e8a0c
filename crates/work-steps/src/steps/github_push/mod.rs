//! `github-push`: pushes like `git-push`, but lets GitHub make the commits, which it signs.
//!
//! The commits are pushed to a ref of their own, from where they are made anew through the API, one by one, on top of
//! the target branch. An attempt that finds them made already, by one that was interrupted, leaves them as they are.

mod pushing;
mod replay;

use std::sync::Arc;

use core_rules::credential::{Credential, Secret};
use io_creds::Kind;
use io_git::{Store, WorkTree};
use io_scm::{Access, GithubCommits, Provider};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use self::pushing::Pushing;
use super::{git, pull_request::errored};
use crate::{Credentials, Effect, Network, Outcome, Settings, Step, StepCx, StepError, StepResult};

/// The step.
pub(crate) struct GithubPush;

/// Its configuration.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {
        "properties": {
            "generateTargetBranch": { "const": true },
            "targetBranch": { "enum": ["", null] },
        },
        "required": ["generateTargetBranch"],
    },
    {
        "properties": {
            "generateTargetBranch": { "enum": [false, null] },
            "targetBranch": { "minLength": 1 },
        },
        "required": ["targetBranch"],
    },
    {
        "properties": {
            "generateTargetBranch": { "enum": [false, null] },
            "targetBranch": { "enum": ["", null] },
        },
    },
]))]
pub(crate) struct Config {
    /// Path of a work tree made by git-clone.
    #[schemars(length(min = 1))]
    path: String,
    /// The branch to push to; otherwise the one the work tree is on.
    #[serde(default)]
    target_branch: String,
    /// Push to a branch that is named after the Promotion.
    #[serde(default)]
    generate_target_branch: bool,
    /// Replace what the branch holds, whatever it is.
    #[serde(default)]
    force: bool,
    /// How often to try when others push at the same time; 10 unless said otherwise.
    #[serde(default = "default_attempts")]
    #[schemars(range(min = 1, max = 2_147_483_647))]
    max_attempts: u32,
    /// Accept any certificate of the server.
    #[serde(default, rename = "insecureSkipTLSVerify")]
    insecure_skip_tls_verify: bool,
}

fn default_attempts() -> u32 {
    10
}

impl Config {
    fn is_forced(&self) -> bool {
        self.force || self.generate_target_branch
    }

    fn target(&self, tree: &WorkTree, cx: &StepCx<'_>) -> Result<String, StepError> {
        if self.generate_target_branch {
            return Ok(format!("kargo/promotion/{}", cx.subject.promotion));
        }
        if !self.target_branch.is_empty() {
            return Ok(self.target_branch.clone());
        }
        tree.branch().map_err(git::failure)?.ok_or_else(|| {
            StepError::retryable(format!("{} is on no branch: set targetBranch", self.path))
        })
    }
}

impl Step for GithubPush {
    const KIND: &'static str = "github-push";
    type Config = Config;
    type Needs = (Store, Network, Credentials, Arc<Settings>);

    async fn run(&self, config: Config, needs: Self::Needs, cx: &StepCx<'_>) -> StepResult {
        let (store, network, credentials, settings) = needs;
        let tree = git::open(cx, &store, &config.path)?;
        let target = config.target(&tree, cx)?;
        if cx.effects.are_recorded() {
            let repository = git::remote(cx, &credentials, &tree).await?;
            let (branch, force) = (target.as_str(), config.is_forced());
            let preview = git::PushPreview { tree: &tree, repository: &repository, branch, force };
            let detail = preview.detail(cx).await.map_err(git::failure)?;
            cx.effects.intercepts(|| effect(cx, &tree, detail));
            let head = tree.head().map_err(git::failure)?.to_string();
            return Ok(pushed(&settings, &tree, &head, branch));
        }
        let credential = credentials.find(cx, Kind::Git, tree.url()).await?;
        let token = token(credential.as_ref(), &tree.address())?;
        let commits = GithubCommits::connect(Access {
            settings: &settings.scm,
            outbound: &network.outbound,
            clock: network.clock.clone(),
            url: tree.url(),
            provider: Some(Provider::Github),
            token: Some(token),
            insecure_skip_tls_verify: config.insecure_skip_tls_verify,
        })
        .map_err(errored)?;
        let repository = tree.repository(credential).map_err(git::failure)?;
        let pushing = Pushing {
            config: &config,
            settings: &settings,
            store: &store,
            tree: &tree,
            repository: &repository,
            commits: &commits,
            staging: format!("kargo/staging/{}", cx.subject.promotion),
            target: &target,
            cx,
        };
        let result = pushing.until_done(&network).await;
        if let Err(error) = commits.delete_ref(&pushing.staging).await {
            cx.say(format!("the ref {} is left behind: {error}", pushing.staging));
        }
        result?;
        let commit = tree.fetch_and_reset(&repository, &target).await.map_err(git::failure)?;
        Ok(pushed(&settings, &tree, &commit.to_string(), &target))
    }
}

/// GitHub's API takes the password of the repository as its token, and nothing else.
fn token(credential: Option<&Credential>, address: &str) -> Result<Secret, StepError> {
    match credential {
        Some(Credential::Basic { password, .. }) if !password.is_empty() => Ok(password.clone()),
        Some(Credential::Basic { .. }) => Err(StepError::failed(format!(
            "the credential of {address} has no password: github-push needs a token there"
        ))),
        Some(Credential::SshKey(_)) => Err(StepError::failed(format!(
            "the credential of {address} is an SSH key, which GitHub's API does not take: add one with a token"
        ))),
        None => Err(StepError::failed(format!(
            "there is no credential for {address}: github-push needs one with a token"
        ))),
    }
}

fn pushed(settings: &Settings, tree: &WorkTree, commit: &str, branch: &str) -> Outcome {
    let outcome = Outcome::done().with("commit", commit).with("branch", branch);
    match settings.scm.commit_url(Some(Provider::Github), tree.url(), commit) {
        Some(url) => outcome.with("commitURL", url),
        None => outcome,
    }
}

fn effect(cx: &StepCx<'_>, tree: &WorkTree, detail: Value) -> Effect {
    Effect { step: cx.alias.to_owned(), action: "push", target: tree.address(), detail }
}
