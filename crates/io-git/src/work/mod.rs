//! Work trees of a Promotion: check-outs, commits, tags and pushes.
//!
//! `git-clone` makes a bare repository in the Promotion's private directory, which borrows the objects of the store's
//! mirror, and work trees among the Promotion's files. Later steps find both from the path of a work tree alone.
//! A mirror that is borrowed from is neither repacked nor evicted: see `mirror::borrowers`.
//!
//! Everything here may be killed at any instruction and run again. Commits carry the time that the caller gives them, so
//! that the same work makes the same commit; what was signed, and so differs, is recognised by what it holds.
//!
//! Names, repositories and servers are not trusted: see `name`, `tree` and `layout` for what keeps them from running
//! anything.

mod backoff;
mod branch_lock;
mod changes;
mod clone;
mod commit;
mod cone;
mod error;
mod identity;
mod integration;
mod keyring;
mod layout;
mod log;
mod name;
mod objects;
mod plan;
mod porcelain;
mod push;
mod record;
mod request;
mod share;
mod submodules;
mod tree;

pub(crate) use self::branch_lock::BranchLocks;
pub use self::{
    backoff::Backoff,
    branch_lock::BranchLock,
    changes::{Change, Side},
    commit::{CommitRequest, Committed, TagRequest},
    error::WorkError,
    identity::Identity,
    integration::PushIntegration,
    log::Signature,
    push::{Publication, Push},
    record::Desk,
    request::{At, CheckedOut, Checkout, CloneRequest},
    tree::WorkTree,
};
