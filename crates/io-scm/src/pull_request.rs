//! Pull requests in the one form that steps see.

/// A pull request, as its provider last told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// Its number in the repository.
    pub number: u64,
    /// The page people look at; webhooks name a pull request by it.
    pub url: String,
    /// Whether it is decided, and how.
    pub state: State,
    /// The commit that it became on the target branch, where the provider says so.
    pub merge_commit: Option<String>,
    /// The commit that it proposes; some providers shorten it.
    pub head_commit: String,
}

/// Whether a pull request is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Open,
    Merged,
    /// Closed without being merged.
    Closed,
}

/// From which branch to which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branches {
    pub source: String,
    pub target: String,
}

/// A pull request to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPullRequest {
    pub branches: Branches,
    pub title: String,
    /// May be empty.
    pub description: String,
    pub labels: Vec<String>,
}

/// What came of an attempt to merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merge {
    /// It is merged, now or before.
    Done(PullRequest),
    /// It may be merged later, without or with somebody acting; the reason is for people.
    NotReady(String),
}

/// A pull request in a list, with what tells whether it is the one that is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) pull_request: PullRequest,
    pub(crate) source: String,
    pub(crate) target: String,
    /// Whether its source branch is in another repository.
    pub(crate) is_from_fork: bool,
}

impl Candidate {
    pub(crate) fn joins(&self, branches: &Branches) -> bool {
        !self.is_from_fork && self.source == branches.source && self.target == branches.target
    }
}

/// Which part of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    Open,
    /// Those that are decided, merged ones among them.
    Decided,
}

/// One page of a list.
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) has_more: bool,
}

/// Whether two ids name the same commit, where one may be shortened.
pub(crate) fn is_same_commit(left: &str, right: &str) -> bool {
    /// What git itself takes for an id at least.
    const SHORTEST: usize = 7;
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let start = long.get(..short.len());
    short.len() >= SHORTEST && start.is_some_and(|start| start.eq_ignore_ascii_case(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_id_names_the_commit_it_begins() {
        let full = "0123456789abcdef0123456789abcdef01234567";
        assert!(is_same_commit(full, full));
        assert!(is_same_commit("0123456789AB", full));
        assert!(!is_same_commit("0123456789ac", full));
        assert!(!is_same_commit("", full));
        assert!(!is_same_commit("012345", full));
    }
}
