//! What to clone, and what came of it.

use gix_hash::ObjectId;
use jiff::Timestamp;

use super::identity::Identity;
use crate::remote::Remote;

/// A repository to clone and the work trees to make of it.
#[derive(Clone, Debug)]
pub struct CloneRequest {
    /// The repository.
    pub remote: Remote,
    /// Who makes commits in the work trees.
    pub identity: Identity,
    /// The work trees.
    pub checkouts: Vec<Checkout>,
    /// Whether the files of submodules are checked out as well.
    pub submodules: bool,
    /// The time of commits that are made on the way.
    pub date: Timestamp,
    /// Whether a branch that is created is also pushed.
    pub publish: bool,
}

/// One work tree to make.
#[derive(Clone, Debug)]
pub struct Checkout {
    /// Where, as the user wrote it.
    pub path: String,
    /// What to check out.
    pub at: At,
    /// The directories to check out; all of them when none is named.
    pub sparse: Vec<String>,
}

/// What to check out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The branch that the repository names as its default.
    Default,
    /// A branch.
    Branch {
        /// Its name.
        name: String,
        /// Whether to start an empty one when the repository has none of this name.
        create: bool,
    },
    /// What a tag leads to; the work tree is on no branch.
    Tag(String),
    /// A commit; the work tree is on no branch.
    Commit(String),
}

/// A work tree that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedOut {
    /// The commit it stands at.
    pub commit: ObjectId,
    /// A branch that did not exist before.
    pub created: Option<String>,
}
