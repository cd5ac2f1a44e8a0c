//! What a commit is made of, and why it may fail.

use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

use crate::{Entry, Key};

/// What must hold of an object for an operation to go ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// It is not there.
    Absent,
    /// It is there, last written at this revision.
    Revision(u64),
    /// Nothing in particular. A delete still needs an object to delete.
    Any,
}

/// One part of an atomic commit. Later operations see the effect of earlier ones.
#[derive(Clone, Debug)]
pub enum Op {
    /// Creates or replaces an object.
    Put {
        /// Which.
        key: Key,
        /// Its new state; a resourceVersion in it is ignored.
        object: Value,
        /// What must hold.
        expect: Expect,
    },
    /// Removes an object.
    Delete {
        /// Which.
        key: Key,
        /// What must hold.
        expect: Expect,
    },
    /// Writes nothing, but the commit fails unless it holds.
    Check {
        /// Which.
        key: Key,
        /// What must hold.
        expect: Expect,
    },
}

/// Why a commit wrote nothing.
#[derive(Clone, Debug, Error)]
pub enum CommitError {
    /// An expectation did not hold.
    #[error("operation {at} of the commit does not fit the current state")]
    Conflict {
        /// The index of the operation.
        at: usize,
        /// The object as it is.
        current: Option<Arc<Entry>>,
    },
    /// An object is larger than the store takes.
    #[error("the object of operation {at} has {size} bytes, the limit is {limit}")]
    TooLarge {
        /// The index of the operation.
        at: usize,
        /// Its size in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The store cannot write at the moment; the text says why. Reads go on.
    #[error("the store is read-only: {0}")]
    ReadOnly(String),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}
