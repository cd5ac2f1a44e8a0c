//! What can go wrong with a work tree, one sentence each. No text here holds a secret.

use std::io;

use io_exec::JailError;

use crate::error::{Error, remote_words};

/// Most conflicting paths that a message names.
const NAMED_PATHS: usize = 10;

/// Why a work tree could not be made, changed or pushed.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The remote repository, or the way to it.
    #[error(transparent)]
    Remote(#[from] Error),
    /// The files of the Promotion.
    #[error(transparent)]
    Files(#[from] JailError),
    /// A path that git-clone did not make.
    #[error("{path} is not a work tree made by git-clone")]
    NotAWorkTree {
        /// The path, as users know it.
        path: String,
    },
    /// A place for a new work tree that holds something already.
    #[error("{path} is not empty: choose another path to check out to, or delete it first")]
    Occupied {
        /// The path, as users know it.
        path: String,
    },
    /// A branch that the remote does not have.
    #[error(
        "{repository} has no branch {branch}: check its name, or set create to start an empty one"
    )]
    NoSuchBranch {
        /// The repository's address.
        repository: String,
        /// The branch.
        branch: String,
    },
    /// A tag or commit that the remote does not have.
    #[error("{repository} has no {what}")]
    NoSuchCommit {
        /// The repository's address.
        repository: String,
        /// What was looked for.
        what: String,
    },
    /// Only one work tree of a clone may be on a branch.
    #[error("the branch {branch} is checked out twice: only one path may have it")]
    BranchTwice {
        /// The branch.
        branch: String,
    },
    /// A name that git forbids, or that could mean something else on its command line.
    #[error("{name:?} cannot be the name of a {what}: {reason}")]
    Name {
        /// Branch, tag, commit or sparse directory.
        what: &'static str,
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The remote branch and the local one changed the same places.
    #[error("{}", conflict(branch, paths))]
    Conflict {
        /// The branch.
        branch: String,
        /// Paths that both changed.
        paths: Vec<String>,
    },
    /// A rebase would lose or forge a signature, and the policy forbids a merge.
    #[error(
        "commits cannot be put on top of the remote branch {branch} without changing who signed them ({commit} is {state}): \
         push to another branch, or choose an integration policy that merges"
    )]
    RebaseUnsafe {
        /// The branch.
        branch: String,
        /// The first commit that stands in the way.
        commit: String,
        /// Why it does.
        state: &'static str,
    },
    /// The server said no to a push.
    #[error("the push of {name} to {repository} was rejected: {reason}")]
    Rejected {
        /// The repository's address.
        repository: String,
        /// The ref.
        name: String,
        /// The server's words.
        reason: String,
        /// Whether taking in remote changes and pushing again may help.
        retry: bool,
    },
    /// No branch to push to.
    #[error("{path} is on no branch: name a target branch to push to")]
    Detached {
        /// The path, as users know it.
        path: String,
    },
    /// A tag that exists already.
    #[error("the tag {name} exists already: choose another name, or set force")]
    TagExists {
        /// The tag.
        name: String,
    },
    /// A commit or tag could not be signed.
    #[error("the signing key could not be used: {reason}")]
    Signing {
        /// The words of gpg.
        reason: String,
    },
    /// `git` failed in a way that no other case names.
    #[error("{what} failed: {reason}")]
    Git {
        /// What was tried.
        what: &'static str,
        /// Its last words.
        reason: String,
    },
    /// Our own records of the clone.
    #[error("{what}: {reason}")]
    Local {
        /// What was tried.
        what: &'static str,
        /// The system's words.
        reason: String,
    },
}

impl WorkError {
    /// Whether a push may succeed a little later: somebody else was faster, or the way was disturbed.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Rejected { retry, .. } => *retry,
            Self::Remote(error) => error.is_temporary(),
            _ => false,
        }
    }

    pub(crate) fn local(what: &'static str, error: &io::Error) -> Self {
        Self::Local { what, reason: error.to_string() }
    }

    /// A `git` that works on local files only.
    pub(crate) fn git(what: &'static str, error: &io_exec::Error) -> Self {
        let reason = match error {
            io_exec::Error::Failed { stderr, .. } if !stderr.is_empty() => remote_words(stderr),
            io_exec::Error::Start { source, .. } => {
                format!("git could not be started ({source}): is it installed?")
            }
            _ => error.to_string(),
        };
        Self::Git { what, reason }
    }
}

fn conflict(branch: &str, paths: &[String]) -> String {
    let named = paths.iter().take(NAMED_PATHS).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match paths.len().saturating_sub(NAMED_PATHS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "merge conflict: the remote branch {branch} and this Promotion changed the same lines of {named}{more}: \
         promote again, so that the change is made on top of the remote one"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_names_some_paths_and_counts_the_rest() {
        let paths: Vec<String> = (0..12).map(|number| format!("f{number}")).collect();
        let text = WorkError::Conflict { branch: "main".into(), paths }.to_string();
        assert!(text.contains("f9 and 2 more:") && !text.contains("f10"), "{text}");
    }

    #[test]
    fn a_race_is_retried_and_a_refusal_is_not() {
        let rejected = |retry| WorkError::Rejected {
            repository: "r".into(),
            name: "n".into(),
            reason: "fetch first".into(),
            retry,
        };
        assert!(rejected(true).is_retryable() && !rejected(false).is_retryable());
        assert!(!WorkError::Signing { reason: String::new() }.is_retryable());
    }
}
