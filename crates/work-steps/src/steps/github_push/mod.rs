//! `github-push`: pushes like `git-push`, but lets GitHub make the commits, which it signs.
//!
//! The commits are pushed to a ref of their own, from where they are made anew through the API, one by one, on top of
//! the target branch. An attempt that finds them made already, by one that was interrupted, leaves them as they are.

mod replay;

use std::sync::Arc;

use core_rules::credential::{Credential, Secret};
use io_creds::Kind;
use io_git::{Backoff, ObjectId, Push, PushIntegration, Repository, Store, WorkError, WorkTree};
use io_scm::{Access, Comparison, GithubCommits, Provider, RefUpdate, Standing};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use self::replay::Replay;
use super::{git, pull_request::errored};
use crate::{Credentials, Effect, Network, Outcome, Settings, Step, StepCx, StepError, StepResult};

/// Commits that are replayed at most, unless the operator says otherwise.
const MAX_REVISIONS: usize = 10;

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
        if cx.effects.intercepts(|| effect(&config, cx, &tree, &target)) {
            let head = tree.head().map_err(git::failure)?.to_string();
            return Ok(pushed(&settings, &tree, &head, &target));
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

/// Everything that one push works with.
struct Pushing<'a> {
    config: &'a Config,
    settings: &'a Settings,
    store: &'a Store,
    tree: &'a WorkTree,
    repository: &'a Repository,
    commits: &'a GithubCommits,
    /// Where the commits are put to be read by GitHub, without `refs/`.
    staging: String,
    target: &'a str,
    cx: &'a StepCx<'a>,
}

/// Why an attempt came to nothing.
enum Setback {
    /// Others were faster; the next attempt takes their changes in.
    Again(String),
    /// For this attempt of the step.
    Ends(StepError),
}

impl From<StepError> for Setback {
    fn from(error: StepError) -> Self {
        Self::Ends(error)
    }
}

impl From<WorkError> for Setback {
    fn from(error: WorkError) -> Self {
        if error.is_retryable() {
            Self::Again(error.to_string())
        } else {
            git::failure(error).into()
        }
    }
}

impl From<io_scm::Error> for Setback {
    fn from(error: io_scm::Error) -> Self {
        errored(error).into()
    }
}

impl Pushing<'_> {
    async fn until_done(&self, network: &Network) -> Result<(), StepError> {
        let mut backoff = Backoff::new(self.config.max_attempts);
        loop {
            let reason = match self.attempt().await {
                Ok(()) => return Ok(()),
                Err(Setback::Ends(error)) => return Err(error),
                Err(Setback::Again(reason)) => reason,
            };
            let Some(wait) = backoff.next(&*network.entropy) else {
                return Err(StepError::retryable(format!(
                    "branch {} of {} could not be pushed in {} attempts: {reason}",
                    self.target,
                    self.tree.address(),
                    self.config.max_attempts
                )));
            };
            self.cx.say(format!("trying again in {} s: {reason}", wait.as_secs()));
            network.clock.sleep(wait).await;
        }
    }

    async fn attempt(&self) -> Result<(), Setback> {
        let _lock = self.store.lock_branch(self.tree.url(), self.target).await;
        let policy = (!self.config.is_forced()).then_some(self.settings.push_integration);
        let head = self.stage(policy).await?;
        let current = self.commits.branch(self.target).await?;
        let base = match &current {
            Some(base) => base.clone(),
            None => self.base_of_new_branch().await?,
        };
        let comparison =
            self.commits.compare(&base, &head.to_string(), self.max_revisions()).await?;
        match comparison.standing {
            Standing::Identical if current.is_some() => return Ok(()),
            Standing::Identical | Standing::Ahead => {}
            Standing::Behind | Standing::Diverged if self.config.is_forced() => {
                if self.is_replayed(&head, &base, current.is_some()).await? {
                    return Ok(());
                }
            }
            Standing::Behind | Standing::Diverged => {
                return Err(Setback::Again("the remote branch has moved on".to_owned()));
            }
            Standing::Other(status) => {
                return Err(StepError::fatal(format!(
                    "GitHub compares commits in a way that is not understood ({status})"
                ))
                .into());
            }
        }
        let tip = self.replay(&comparison, head).await?;
        self.publish(current.is_some(), &tip).await
    }

    /// Takes in what others pushed, and puts the commits where GitHub can read them.
    async fn stage(&self, policy: Option<PushIntegration>) -> Result<ObjectId, Setback> {
        let date = self.cx.subject.started_at;
        self.tree.integrate(self.repository, self.target, policy, date).await?;
        let push =
            Push { from: "HEAD".to_owned(), to: format!("refs/{}", self.staging), force: true };
        self.tree.push(self.repository, &push).await?;
        Ok(self.tree.head()?)
    }

    /// A branch that does not exist yet begins where the one of the work tree is.
    async fn base_of_new_branch(&self) -> Result<String, Setback> {
        let Some(branch) = self.tree.branch()? else {
            return Err(StepError::retryable(format!(
                "{} is on no branch, and there is no branch {} yet to compare with",
                self.config.path, self.target
            ))
            .into());
        };
        self.commits.branch(&branch).await?.ok_or_else(|| {
            StepError::retryable(format!(
                "{} has neither a branch {} nor a branch {branch}",
                self.tree.address(),
                self.target
            ))
            .into()
        })
    }

    fn max_revisions(&self) -> usize {
        match self.settings.github_push_max_revisions {
            0 => MAX_REVISIONS,
            most => most,
        }
    }

    /// Whether the branch holds what a replay would give: an attempt before this one was interrupted after it.
    async fn is_replayed(
        &self,
        head: &ObjectId,
        base: &str,
        is_target: bool,
    ) -> Result<bool, Setback> {
        if !is_target {
            return Ok(false);
        }
        let most = self.max_revisions();
        let theirs = self.commits.compare(&head.to_string(), base, most).await?;
        let ours = self.commits.compare(base, &head.to_string(), most).await?;
        if ours.commits.is_empty() || ours.total > most || theirs.total != ours.total {
            return Ok(false);
        }
        let replay = self.plan(&ours, *head).await?;
        Ok(replay.gives(&theirs.commits))
    }

    /// Makes the commits anew, oldest first, and returns the last.
    async fn replay(&self, comparison: &Comparison, head: ObjectId) -> Result<String, Setback> {
        let most = self.max_revisions();
        if comparison.total > most {
            return Err(StepError::fatal(format!(
                "{} commits are to be pushed to {}, and at most {most} are: push fewer, or have an operator raise GITHUB_PUSH_MAX_REVISIONS",
                comparison.total, self.target
            ))
            .into());
        }
        let mut replay = self.plan(comparison, head).await?;
        while let Some(next) = replay.next().map_err(StepError::fatal)? {
            let made = self.commits.create_commit(&next).await?;
            replay.made(made);
        }
        Ok(replay.tip().to_owned())
    }

    async fn plan(&self, comparison: &Comparison, head: ObjectId) -> Result<Replay, Setback> {
        let signer = self.tree.signer()?;
        let is_signed_by_github = self.settings.github_push_verify_untrusted;
        let trusted = if is_signed_by_github || comparison.commits.is_empty() {
            Vec::new()
        } else {
            self.trusted(&comparison.merge_base, head).await?
        };
        let merge_base = comparison.merge_base.clone();
        Ok(Replay::new(merge_base, comparison.commits.clone(), signer, |id| {
            is_signed_by_github || trusted.iter().any(|known| known == id)
        }))
    }

    /// Ids of the commits that a key we trust has signed.
    async fn trusted(&self, merge_base: &str, head: ObjectId) -> Result<Vec<String>, Setback> {
        let base = ObjectId::from_hex(merge_base.as_bytes())
            .map_err(|_| StepError::retryable("GitHub names a commit that is none"))?;
        let local = self.tree.commits_between(base, head).await?;
        let signatures = self.tree.signatures(&local).await?;
        let trusted = local.iter().zip(signatures);
        let trusted = trusted.filter(|(_, signature)| *signature == io_git::Signature::Trusted);
        Ok(trusted.map(|(commit, _)| commit.id.to_string()).collect())
    }

    async fn publish(&self, exists: bool, tip: &str) -> Result<(), Setback> {
        let update = if exists {
            self.commits.move_branch(self.target, tip, self.config.is_forced()).await?
        } else {
            self.commits.create_branch(self.target, tip).await?
        };
        match update {
            RefUpdate::Done => Ok(()),
            RefUpdate::Refused(said) => Err(Setback::Again(said)),
        }
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

fn effect(config: &Config, cx: &StepCx<'_>, tree: &WorkTree, target: &str) -> Effect {
    Effect {
        step: cx.alias.to_owned(),
        action: "push",
        target: tree.address(),
        detail: json!({ "branch": target, "force": config.is_forced() }),
    }
}
