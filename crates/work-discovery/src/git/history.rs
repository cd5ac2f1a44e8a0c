//! What the selection asks of a repository's history, answered from its mirror.

#[cfg(test)]
mod tests;
mod walk;

use std::sync::Arc;

use api_kinds::warehouse::{DiscoveredCommit, GitDiscoveryResult};
use core_rules::subscription::{
    BranchSelector, ChangedPaths, CommitRecord, GitSelector, GitStrategy, GitTime, SelectError,
    TagRecord, TagSelector, TagSource, Verdicts,
};
use io_git::{Commit, Date, Reader, Refs, Repository};
use jiff::Timestamp;

use self::walk::{Known, Seen, Walk};
use crate::problem::Problem;

const TAG_PREFIX: &str = "refs/tags/";

type Selection = Result<(Vec<DiscoveredCommit>, Verdicts), Unread>;

/// A repository whose references are known.
pub(super) struct History<'a> {
    pub(super) repository: Repository,
    pub(super) refs: Arc<Refs>,
    /// What was selected from an earlier state of it, if the same question has the same answer there.
    pub(super) earlier: Option<&'a GitDiscoveryResult>,
    pub(super) now: Timestamp,
}

/// Why the history gave no answer.
#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error(transparent)]
    Repository(#[from] io_git::Error),
    #[error(transparent)]
    Selection(#[from] SelectError<io_git::Error>),
}

impl History<'_> {
    /// Fetches what the selection may ask for, and no more, then selects.
    pub(super) async fn select(
        &self,
        selector: &GitSelector,
        verdicts: Verdicts,
    ) -> Result<(Vec<DiscoveredCommit>, Verdicts), Problem> {
        let asked = selector.refs_to_ask();
        let selection = match selector.strategy() {
            GitStrategy::Branch(branch) => self.branch(branch, asked.prefix(), verdicts).await,
            GitStrategy::Tags(tags) => self.tags(tags, verdicts).await,
        };
        selection.map_err(Problem::discovery)
    }

    async fn branch(&self, branch: &BranchSelector, name: &str, verdicts: Verdicts) -> Selection {
        let snapshot = self.repository.fetch(&self.refs, &[name]).await?;
        let (branch, name, now) = (branch.clone(), name.to_owned(), self.now);
        let known = self.earlier.and_then(Known::of);
        snapshot
            .read(move |reader| -> Selection {
                let seen = Seen::default();
                let commits = Walk::from(reader, reader.tip(&name)?, known.as_ref(), &seen)?;
                let mut answers = Answers { reader, seen: &seen };
                Ok(branch.select(commits, &mut answers, now, verdicts)?)
            })
            .await
    }

    async fn tags(&self, tags: &TagSelector, verdicts: Verdicts) -> Selection {
        let names: Vec<String> = self
            .refs
            .iter()
            .filter_map(|found| found.name.strip_prefix(TAG_PREFIX).map(str::to_owned))
            .collect();
        let wanted: Vec<String> = tags
            .candidates(names.iter().cloned(), Verdicts::none())
            .names()
            .iter()
            .map(|name| format!("{TAG_PREFIX}{name}"))
            .collect();
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        let snapshot = self.repository.fetch(&self.refs, &wanted).await?;
        let (tags, now) = (tags.clone(), self.now);
        snapshot
            .read(move |reader| -> Selection {
                let candidates = tags.candidates(names, verdicts);
                let mut answers = Answers { reader, seen: &Seen::default() };
                Ok(candidates.select(&mut answers, now)?)
            })
            .await
    }
}

/// The mirror, as the selection asks it.
struct Answers<'a> {
    reader: &'a Reader,
    /// The commit that was handed out last, which is the one that is asked about.
    seen: &'a Seen,
}

impl ChangedPaths for Answers<'_> {
    type Error = io_git::Error;

    fn changed_paths(&mut self, commit: &str) -> Result<Vec<String>, Self::Error> {
        // The selection only hands back ids that it was given.
        let Ok(id) = commit.parse() else { return Ok(Vec::new()) };
        match self.seen.take(id) {
            Some(commit) => self.reader.changed_paths(&commit),
            None => self.reader.changed_paths(&self.reader.commit(id)?),
        }
    }
}

impl TagSource for Answers<'_> {
    fn tag(&mut self, name: &str) -> Result<Option<TagRecord>, Self::Error> {
        let Some(tag) = self.reader.tag(&format!("{TAG_PREFIX}{name}"))? else { return Ok(None) };
        let commit = commit_record(&tag.commit);
        self.seen.put(tag.commit);
        Ok(Some(TagRecord {
            commit,
            created_at: git_time(tag.created_at),
            tagger: tag.tagger.map(|person| person.to_string()).unwrap_or_default(),
            annotation: tag.annotation,
        }))
    }
}

fn commit_record(commit: &Commit) -> CommitRecord {
    CommitRecord {
        id: commit.id.to_string(),
        author: commit.author.to_string(),
        committer: commit.committer.to_string(),
        committed_at: git_time(commit.committed_at),
        subject: commit.subject.clone(),
    }
}

fn git_time(Date { at, offset_seconds }: Date) -> GitTime {
    GitTime { at, offset_seconds }
}
