//! The newest commits of a branch.

use api_kinds::warehouse::DiscoveredCommit;
use jiff::Timestamp;

use super::{
    filter::{ChangedPaths, ContentFilter, SelectError},
    record::CommitRecord,
    references::RefsToAsk,
};
use crate::subscription::{Rejection, Verdicts, git_ref::BRANCH_PREFIX};

/// Selects from the history of a branch.
#[derive(Clone, Debug)]
pub struct BranchSelector {
    branch: Option<String>,
    since: Option<Timestamp>,
    filter: ContentFilter,
    limit: usize,
}

impl BranchSelector {
    pub(super) fn new(
        branch: Option<String>,
        since: Option<Timestamp>,
        filter: ContentFilter,
        limit: usize,
    ) -> Self {
        Self { branch, since, filter, limit }
    }

    pub(super) fn filter(&self) -> &ContentFilter {
        &self.filter
    }

    pub(super) fn refs_to_ask(&self) -> RefsToAsk {
        match &self.branch {
            Some(branch) => RefsToAsk::Branch(format!("{BRANCH_PREFIX}{branch}")),
            None => RefsToAsk::Head,
        }
    }

    /// Selects from the commits of the branch, the newest first along first parents. No more of them
    /// are taken from the iterator than it needs.
    pub fn select<R: ChangedPaths>(
        &self,
        history: impl IntoIterator<Item = Result<CommitRecord, R::Error>>,
        repository: &mut R,
        now: Timestamp,
        mut verdicts: Verdicts,
    ) -> Result<(Vec<DiscoveredCommit>, Verdicts), SelectError<R::Error>> {
        let mut found = Vec::new();
        for commit in history {
            let commit = commit.map_err(SelectError::Repository)?;
            if let Some(since) = self.since.filter(|since| commit.committed_at.at < *since) {
                verdicts.reject(&commit.id, Rejection::TooOld { since });
                break;
            }
            let fields = commit.as_expression_sees_it();
            let id = &commit.id;
            if let Some(reason) = self.filter.rejection(id, id, &fields, repository, now)? {
                verdicts.reject(id, reason);
                continue;
            }
            verdicts.select(id);
            found.push(commit.report_on_branch(self.branch.as_deref().unwrap_or_default()));
            if found.len() >= self.limit {
                break;
            }
        }
        Ok((found, verdicts))
    }
}
