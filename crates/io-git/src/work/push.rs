//! Pushes.

use std::time::Duration;

use gix_hash::ObjectId;
use io_exec::{Command, Limits, Output};
use jiff::Timestamp;
use tokio::io::AsyncReadExt as _;

use super::{
    branch_lock::BranchLock,
    error::WorkError,
    integration::{PushIntegration, is_same_work},
    name,
    porcelain::{self, Verdict},
    tree::{WorkTree, equip},
};
use crate::{
    classify,
    error::{Error, remote_words},
    refs::Refs,
    repository::Repository,
    session::Session,
    store::Store,
};

/// A push says this much at most about its one ref.
const MAX_OUTPUT: u64 = 1 << 20;
/// A push that takes longer is not going to end.
const DEADLINE: Duration = Duration::from_mins(30);

/// One ref to push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// `HEAD`, an object id or the full name of a ref of the clone.
    pub from: String,
    /// The full name of the remote's ref.
    pub to: String,
    /// Whether it may drop commits that the remote has.
    pub force: bool,
}

/// The commits of a work tree, to be pushed to a branch.
#[derive(Clone, Copy, Debug)]
pub struct Publication<'a> {
    /// The branch.
    pub branch: &'a str,
    /// How remote changes are taken in; without a policy they are not.
    pub policy: Option<PushIntegration>,
    /// Whether the branch may lose commits.
    pub force: bool,
    /// The time of commits that are made on the way.
    pub date: Timestamp,
}

impl Store {
    /// Waits until nobody else of this process pushes to the branch.
    pub async fn lock_branch(&self, url: &str, branch: &str) -> BranchLock {
        self.shared.branches.lock(url, branch).await
    }
}

impl WorkTree {
    /// Takes in remote changes and pushes what the work tree stands at to a branch, alone of this process. One attempt.
    pub async fn publish(
        &self,
        repository: &Repository,
        publication: Publication<'_>,
    ) -> Result<(), WorkError> {
        let full = name::branch(publication.branch)?;
        let _lock = self.shared.branches.lock(self.url(), publication.branch).await;
        let refs = repository.list_refs(&[&full]).await?;
        if let Some(policy) = publication.policy.filter(|_| !publication.force) {
            let Publication { branch, date, .. } = publication;
            self.integrate_with(repository, &refs, branch, policy, date).await?;
        }
        if publication.force && self.adopt(repository, &refs, &full).await? {
            return Ok(());
        }
        if refs.get(&full).map(|found| found.id) == Some(self.head()?) {
            return Ok(());
        }
        let push = Push { from: "HEAD".to_owned(), to: full, force: publication.force };
        self.push_with(repository, &refs, &push).await?;
        self.share(repository, &refs).await;
        Ok(())
    }

    /// Pushes one ref, once.
    pub async fn push(&self, repository: &Repository, push: &Push) -> Result<(), WorkError> {
        let refs = repository.list_refs(&[name::full(&push.to)?]).await?;
        self.push_with(repository, &refs, push).await
    }

    /// What the remote's ref `full` points to; `None` when there is none.
    pub async fn remote_head(
        &self,
        repository: &Repository,
        full: &str,
    ) -> Result<Option<ObjectId>, WorkError> {
        let refs = repository.list_refs(&[name::full(full)?]).await?;
        Ok(refs.get(full).map(|found| found.id))
    }

    /// Whether the remote branch holds the commit of an earlier attempt, which has another id because it was signed then.
    /// The work tree takes it over.
    async fn adopt(
        &self,
        repository: &Repository,
        refs: &Refs,
        full: &str,
    ) -> Result<bool, WorkError> {
        let signs = self.identity()?.signing_key.is_some();
        let Some(remote) = refs.get(full).filter(|_| signs).map(|found| found.id) else {
            return Ok(false);
        };
        let head = self.head()?;
        let tip = if remote == head { head } else { self.bring(repository, refs, full).await? };
        let is_ours = self.read(move |objects| {
            let (own, other) = (objects.commit(head)?, objects.commit(tip)?);
            Ok(own.parents == other.parents && is_same_work(&own, &other))
        });
        let is_ours = is_ours.await?;
        if is_ours {
            let _claim = self.claim().await?;
            self.advance(tip)?;
        }
        Ok(is_ours)
    }

    pub(super) async fn push_with(
        &self,
        repository: &Repository,
        refs: &Refs,
        push: &Push,
    ) -> Result<(), WorkError> {
        let to = name::full(&push.to)?;
        let from = match push.from.as_str() {
            "HEAD" => self.head()?.to_string(),
            other if ObjectId::from_hex(other.as_bytes()).is_ok() => other.to_owned(),
            other => name::full(other)?.to_owned(),
        };
        let known = refs.get(to).map(|found| found.id);
        let knows = match known {
            Some(id) => self.read(move |objects| Ok(objects.has(id))).await?,
            None => false,
        };
        let session = Session::open(self.cx(), &repository.target, &refs.server).await?;
        let force = if push.force { "+" } else { "" };
        let command =
            equip(session.git(self.cx(), "git push"), &self.home.repository(), &self.files)
                .directory(self.home.path())
                // Without a commit in common, git would send the whole history.
                .args((!knows).then_some(["-c", "push.negotiate=true"]).into_iter().flatten())
                .args(["push", "--porcelain", "--progress", "--no-verify", "--no-follow-tags"])
                .args(["--recurse-submodules=no", "--no-signed", "origin"])
                .args([format!("{force}{from}:{to}")])
                .limits(Limits { deadline: Some(DEADLINE), idle: Some(self.cx().settings.stall) });
        self.conclude(repository, to, command).await
    }

    async fn conclude(
        &self,
        repository: &Repository,
        to: &str,
        command: Command,
    ) -> Result<(), WorkError> {
        let target = &repository.target;
        let failed = |error: &io_exec::Error| match classify::failure(error, target) {
            Error::Git { reason, .. } => WorkError::Git { what: "git push", reason },
            error => WorkError::Remote(error),
        };
        let started = self.cx().exec.start(command.output(Output::Stream));
        let mut running = started.map_err(|error| failed(&error))?;
        let mut printed = Vec::new();
        if let Some(stdout) = running.stdout.take() {
            // What was printed before it broke off is all there is to read.
            let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut printed).await;
        }
        let ended = running.finish().await;
        match (porcelain::verdict(&String::from_utf8_lossy(&printed)), ended) {
            (Some(Verdict::Refused { reason, retry }), ended) => {
                let said = ended.err().map(|error| said(error.stderr())).unwrap_or_default();
                let reason = if said.is_empty() { reason } else { format!("{reason} ({said})") };
                let (repository, name) = (target.to_string(), to.to_owned());
                Err(WorkError::Rejected { repository, name, reason, retry })
            }
            (_, Err(error)) => Err(failed(&error)),
            (_, Ok(_)) => Ok(()),
        }
    }
}

/// What the server itself had to say, among the lines of git.
fn said(stderr: &str) -> String {
    let lines = stderr.split("; ").filter_map(|line| line.trim().strip_prefix("remote:"));
    let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    remote_words(&lines.join(" "))
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn the_words_of_the_server_are_found_among_those_of_git() {
        let stderr =
            "remote: error: GH006: Protected branch; remote: ; error: failed to push some refs";
        assert_eq!(said(stderr), "error: GH006: Protected branch");
    }
}
