//! Takes in what the remote branch has and the work tree lacks, before a push.
//!
//! A conflict is undone at once: the work tree is left as it was, and the error names the paths.

use gix_hash::ObjectId;
use jiff::Timestamp;

use super::{
    error::WorkError,
    keyring::Keyring,
    log::Signature,
    name,
    tree::{Claim, WorkTree},
};
use crate::{
    history::Commit,
    mirror::{self, Want},
    refs::Refs,
    repository::Repository,
    session::Session,
};

/// What is done when the remote branch has commits that the local one lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PushIntegration {
    /// Local commits are put on top of the remote ones, whoever signed them.
    #[default]
    AlwaysRebase,
    /// The same where no signature is lost by it, otherwise the remote branch is merged.
    RebaseOrMerge,
    /// The same where no signature is lost by it, otherwise the push fails.
    RebaseOrFail,
    /// The remote branch is merged.
    AlwaysMerge,
}

enum Way {
    Rebase,
    Merge,
}

impl WorkTree {
    /// Takes in the remote branch as `policy` says; without one nothing is done.
    pub async fn integrate(
        &self,
        repository: &Repository,
        branch: &str,
        policy: Option<PushIntegration>,
        date: Timestamp,
    ) -> Result<(), WorkError> {
        let Some(policy) = policy else { return Ok(()) };
        let full = name::branch(branch)?;
        let refs = repository.list_refs(&[&full]).await?;
        self.integrate_with(repository, &refs, branch, policy, date).await
    }

    pub(super) async fn integrate_with(
        &self,
        repository: &Repository,
        refs: &Refs,
        branch: &str,
        policy: PushIntegration,
        date: Timestamp,
    ) -> Result<(), WorkError> {
        let claim = self.claim().await?;
        self.undo_unfinished(&claim).await?;
        let full = name::branch(branch)?;
        let Some(remote) = refs.get(&full).map(|found| found.id) else { return Ok(()) };
        let head = self.head()?;
        if self.read(move |objects| Ok(objects.is_recent_ancestor(remote, head))).await? {
            return Ok(());
        }
        let tip = self.bring(repository, refs, &full).await?;
        let way = self.way(policy, branch, tip, head).await?;
        let session = Session::open(self.cx(), &repository.target, &refs.server).await?;
        let work = Integration { tree: self, claim: &claim, session, branch, tip, date };
        match way {
            Way::Rebase => work.rebase().await,
            Way::Merge => work.merge(&repository.address(), head).await,
        }
    }

    /// Makes the work tree equal to the remote branch, whatever it holds.
    pub async fn fetch_and_reset(
        &self,
        repository: &Repository,
        branch: &str,
    ) -> Result<ObjectId, WorkError> {
        let full = name::branch(branch)?;
        let refs = repository.list_refs(&[&full]).await?;
        let claim = self.claim().await?;
        self.undo_unfinished(&claim).await?;
        let tip = self.bring(repository, &refs, &full).await?;
        self.reset(&claim, tip).await?;
        Ok(tip)
    }

    pub(super) async fn reset(&self, claim: &Claim, to: ObjectId) -> Result<(), WorkError> {
        let reset = self.git("git reset").args(["reset", "--hard", "-q", &to.to_string()]);
        self.change(claim, "git reset", reset).await
    }

    /// Brings the remote ref `full` and its files within reach, and returns its commit.
    pub(super) async fn bring(
        &self,
        repository: &Repository,
        refs: &Refs,
        full: &str,
    ) -> Result<ObjectId, WorkError> {
        let wants: Vec<Want> = repository.wants(refs, &[full])?;
        let snapshot = repository.borrow(refs, wants).await?;
        // The credential may have changed since the clone was made, and with it the mirror.
        let local = |error| WorkError::local("the clone could not be extended", &error);
        let directory = self.home.repository();
        mirror::register(snapshot.mirror().place.directory(), &directory).map_err(local)?;
        super::layout::add_alternate(&directory, &snapshot.git_dir()).map_err(local)?;
        let missing = || super::plan::missing(&repository.address(), full);
        let tip = snapshot.tips().get(full).copied().ok_or_else(missing)?;
        let cone = self.cone()?;
        let survey = self.read(move |objects| objects.survey(tip, &cone)).await?;
        repository.fetch_contents(refs, &snapshot, survey.missing).await?;
        Ok(tip)
    }

    async fn way(
        &self,
        policy: PushIntegration,
        branch: &str,
        tip: ObjectId,
        head: ObjectId,
    ) -> Result<Way, WorkError> {
        match policy {
            PushIntegration::AlwaysRebase => return Ok(Way::Rebase),
            PushIntegration::AlwaysMerge => return Ok(Way::Merge),
            PushIntegration::RebaseOrMerge | PushIntegration::RebaseOrFail => {}
        }
        let commits = self.commits_between(tip, head).await?;
        let signs = self.identity()?.signing_key.is_some();
        let kept = if signs { Signature::Trusted } else { Signature::Unsigned };
        let signatures = self.signatures(&commits).await?;
        let unsafe_one = commits.iter().zip(signatures).find(|(_, signature)| *signature != kept);
        match unsafe_one {
            None => Ok(Way::Rebase),
            Some(_) if policy == PushIntegration::RebaseOrMerge => Ok(Way::Merge),
            Some((commit, signature)) => Err(WorkError::RebaseUnsafe {
                branch: branch.to_owned(),
                commit: commit.id.to_hex_with_len(12).to_string(),
                state: signature.word(),
            }),
        }
    }

    fn is_rebasing(&self) -> bool {
        ["rebase-merge", "rebase-apply"].iter().any(|name| self.git_dir().join(name).exists())
    }

    fn is_merging(&self) -> bool {
        self.git_dir().join("MERGE_HEAD").exists()
    }

    /// Undoes a rebase or merge that was interrupted, by a conflict or by a kill.
    async fn undo_unfinished(&self, claim: &Claim) -> Result<(), WorkError> {
        if self.is_rebasing() {
            let abort = self.git("git rebase --abort").args(["rebase", "--abort"]);
            self.change(claim, "git rebase --abort", abort).await?;
        }
        if self.is_merging() {
            let abort = self.git("git merge --abort").args(["merge", "--abort"]);
            self.change(claim, "git merge --abort", abort).await?;
        }
        Ok(())
    }
}

struct Integration<'a> {
    tree: &'a WorkTree,
    claim: &'a Claim,
    session: Session,
    branch: &'a str,
    tip: ObjectId,
    date: Timestamp,
}

impl Integration<'_> {
    async fn rebase(&self) -> Result<(), WorkError> {
        let tip = self.tip.to_string();
        let options = ["rebase", "--no-autostash", "--no-fork-point", "--no-stat", &tip];
        // Authors stay who they are; only who commits, and when, is ours.
        self.run("git rebase", &options, "GIT_COMMITTER_").await
    }

    async fn merge(&self, address: &str, head: ObjectId) -> Result<(), WorkError> {
        if self.is_there_already(head).await? {
            return self.tree.reset(self.claim, self.tip).await;
        }
        let message = format!("Merge branch '{}' of {address}", self.branch);
        let tip = self.tip.to_string();
        self.run("git merge", &["merge", "--no-stat", "-m", &message, &tip], "GIT_").await
    }

    /// Runs a command whose conflicts are undone and told.
    async fn run(
        &self,
        what: &'static str,
        arguments: &[&str],
        variables: &str,
    ) -> Result<(), WorkError> {
        let tree = self.tree;
        let identity = tree.identity()?;
        let ring = match &identity.signing_key {
            Some(key) => Some(Keyring::open(tree.cx(), key).await?),
            None => None,
        };
        let mut command = tree.equip(self.session.git(tree.cx(), what)).directory(&tree.files);
        for (name, value) in identity.environment(self.date) {
            if name.starts_with(variables) {
                command = command.env(name, value);
            }
        }
        command = ring.iter().fold(command, |command, ring| ring.equip(command));
        let limits =
            io_exec::Limits { deadline: Some(tree.cx().settings.fetch_deadline), idle: None };
        let done = tree.change(self.claim, what, command.args(arguments).limits(limits)).await;
        if let Some(ring) = ring {
            ring.close(tree.cx()).await;
        }
        match done {
            Err(_) if tree.is_rebasing() || tree.is_merging() => self.conflict(done).await,
            done => done,
        }
    }

    async fn conflict(&self, done: Result<(), WorkError>) -> Result<(), WorkError> {
        let tree = self.tree;
        let unmerged = tree
            .git("git diff")
            .args(["diff", "--name-only", "--diff-filter=U", "-z"])
            .directory(&tree.files);
        let unmerged = tree.ask("git diff", unmerged).await;
        tree.undo_unfinished(self.claim).await?;
        let mut paths: Vec<String> =
            unmerged?.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
        paths.dedup();
        if paths.is_empty() {
            // It stopped for another reason: a signature, a full disk.
            return done;
        }
        Err(WorkError::Conflict { branch: self.branch.to_owned(), paths })
    }

    /// Whether an earlier attempt, whose commits have other ids because they were signed then, was pushed already.
    async fn is_there_already(&self, head: ObjectId) -> Result<bool, WorkError> {
        let ours = self.tree.commits_between(self.tip, head).await?;
        let theirs = self.tree.commits_between(head, self.tip).await?;
        let is_theirs = |own: &Commit| theirs.iter().any(|other| is_same_work(own, other));
        Ok(!ours.is_empty() && ours.iter().all(is_theirs))
    }
}

/// Whether two commits are the same change made twice.
pub(super) fn is_same_work(one: &Commit, other: &Commit) -> bool {
    (one.tree, &one.author, one.authored_at, &one.message)
        == (other.tree, &other.author, other.authored_at, &other.message)
}
