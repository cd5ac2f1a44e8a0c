//! The attempts of one push: the commits are put where GitHub can read them, compared with the branch, made anew and
//! put on it. What others do to the branch meanwhile leads to another attempt.

use io_git::{Backoff, ObjectId, Push, PushIntegration, Repository, Store, WorkError, WorkTree};
use io_scm::{Comparison, GithubCommits, RefUpdate, Standing};

use super::{Config, replay::Replay};
use crate::{
    Network, Settings, StepCx, StepError,
    steps::{git, pull_request::errored},
};

/// Commits that are replayed at most, unless the operator says otherwise.
const MAX_REVISIONS: usize = 10;

/// Everything that one push works with.
pub(super) struct Pushing<'a> {
    pub(super) config: &'a Config,
    pub(super) settings: &'a Settings,
    pub(super) store: &'a Store,
    pub(super) tree: &'a WorkTree,
    pub(super) repository: &'a Repository,
    pub(super) commits: &'a GithubCommits,
    /// Where the commits are put to be read by GitHub, without `refs/`.
    pub(super) staging: String,
    pub(super) target: &'a str,
    pub(super) cx: &'a StepCx<'a>,
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
    pub(super) async fn until_done(&self, network: &Network) -> Result<(), StepError> {
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
        match &comparison.standing {
            Standing::Identical if current.is_some() => return Ok(()),
            Standing::Identical | Standing::Ahead => {}
            Standing::Behind | Standing::Diverged if self.config.is_forced() => {
                if current.is_some() && self.is_replayed(&comparison, &base, head).await? {
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
        ours: &Comparison,
        base: &str,
        head: ObjectId,
    ) -> Result<bool, Setback> {
        if ours.commits.is_empty() {
            return Ok(false);
        }
        let most = self.max_revisions();
        let theirs = self.commits.compare(&head.to_string(), base, most).await?;
        Ok(self.plan(ours, head).await?.gives(&theirs.commits))
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
