//! Commits of Git repositories: which are candidates, which are better, and what is reported of them.
//!
//! The references of a repository are asked for first ([`GitSelector::refs_to_ask`]). When they look as
//! they did last time, the answer is the same too ([`GitSelector::reuse`]) and no history is read.

mod branch;
mod filter;
mod record;
mod references;
mod tags;
#[cfg(test)]
mod tests;

use api_kinds::warehouse::{
    CommitSelectionStrategy, DiscoveredCommit, GitDiscoveryRefs, GitDiscoveryResult,
    GitSubscription,
};

use self::filter::ContentFilter;
use super::{
    Unusable,
    git_ref::{GitRefSelector, Interest},
    limit::limit_of,
};

pub use branch::BranchSelector;
pub use filter::{ChangedPaths, SelectError};
pub use record::{CommitRecord, GitTime, TagRecord};
pub use references::RefsToAsk;
pub use tags::{TagCandidates, TagSelector, TagSource};

/// What one Git subscription selects.
#[derive(Clone, Debug)]
pub struct GitSelector {
    repo_url: String,
    strategy: GitStrategy,
}

/// Where the commits come from.
#[derive(Clone, Debug)]
pub enum GitStrategy {
    /// The history of a branch.
    Branch(BranchSelector),
    /// What tags point to.
    Tags(TagSelector),
}

impl GitSelector {
    /// Reads what a subscription selects.
    pub fn new(subscription: &GitSubscription) -> Result<Self, Unusable> {
        let GitRefSelector(interest) = GitRefSelector::new(subscription)?;
        let filter = ContentFilter::new(subscription)?;
        let limit = limit_of(subscription.discovery_limit);
        let strategy = match interest {
            Interest::Branch(branch) => {
                let since = subscription.since.as_ref().map(|since| since.0);
                GitStrategy::Branch(BranchSelector::new(branch, since, filter, limit))
            }
            Interest::Tags(rule) => {
                let by_date =
                    subscription.commit_selection_strategy == CommitSelectionStrategy::NewestTag;
                GitStrategy::Tags(TagSelector::new(rule, by_date, filter, limit))
            }
        };
        Ok(Self { repo_url: subscription.repo_url.clone(), strategy })
    }

    /// Where the commits come from, and so how to select them.
    pub fn strategy(&self) -> &GitStrategy {
        &self.strategy
    }

    /// The references that decide whether anything changed.
    pub fn refs_to_ask(&self) -> RefsToAsk {
        match &self.strategy {
            GitStrategy::Branch(branch) => branch.refs_to_ask(),
            GitStrategy::Tags(_) => RefsToAsk::Tags,
        }
    }

    /// What to remember of the references, given as full names with ids. `None` when that is nothing
    /// to compare with: the branch is not there, or too many tags are candidates.
    pub fn observe<N: AsRef<str>, I: AsRef<str>>(
        &self,
        references: impl IntoIterator<Item = (N, I)>,
    ) -> Option<GitDiscoveryRefs> {
        match &self.strategy {
            GitStrategy::Branch(branch) => {
                references::observe_branch(branch.refs_to_ask().prefix(), references)
            }
            GitStrategy::Tags(tags) => references::observe_tags(tags, references),
        }
    }

    /// Whether what was found last time still holds, because the references look the same. Never so
    /// when the filter depends on the time of day.
    pub fn reuse(
        &self,
        previous: Option<&GitDiscoveryResult>,
        observed: Option<&GitDiscoveryRefs>,
    ) -> bool {
        let depends_on_time = match &self.strategy {
            GitStrategy::Branch(branch) => branch.filter().depends_on_time(),
            GitStrategy::Tags(tags) => tags.filter().depends_on_time(),
        };
        !depends_on_time
            && observed.is_some()
            && previous.is_some_and(|previous| {
                previous.repo_url == self.repo_url && previous.observed_refs.as_ref() == observed
            })
    }

    /// What is stored of a search.
    pub fn result(
        &self,
        subscription_name: &str,
        commits: Vec<DiscoveredCommit>,
        observed_refs: Option<GitDiscoveryRefs>,
    ) -> GitDiscoveryResult {
        GitDiscoveryResult {
            commits,
            observed_refs,
            repo_url: self.repo_url.clone(),
            subscription_name: subscription_name.to_owned(),
        }
    }
}
