//! Git repositories: refs over the wire, shared bare mirrors, history and changed paths, work trees.
//!
//! A [`Store`] holds one bare mirror per repository and account. Work on a [`Repository`] begins with listing its refs,
//! which is spoken in process and proves that the caller's credential may see them; only what changed is fetched, by the
//! `git` program, once for everybody who waits for it. History is read in process from a [`Snapshot`]. A [`WorkTree`] has
//! files of its own and borrows everything else.
//!
//! Servers are not trusted: every answer has limits on size, count and time, no redirect takes a credential to another
//! host, and addresses are checked after name resolution, also those that `git` and `ssh` dial.

mod blocking;
mod classify;
mod context;
mod convoy;
mod error;
mod history;
mod mirror;
mod refs;
mod remote;
mod repository;
mod session;
mod settings;
mod ssh_login;
mod store;
mod wire;
mod work;

pub use error::{Error, Offered};
pub use gix_hash::ObjectId;
pub use history::{Commit, Date, FirstParents, Person, Reader, Snapshot, Tag};
pub use mirror::Activity;
pub use refs::{Ref, Refs};
pub use remote::Remote;
pub use repository::Repository;
pub use settings::{Settings, SshUser};
pub use store::{MirrorUsage, Store, Usage};
pub use work::{
    At, Backoff, BranchLock, Change, CheckedOut, Checkout, CloneRequest, CommitRequest, Committed,
    Desk, Identity, Publication, Push, PushIntegration, Side, Signature, TagRequest, WorkError,
    WorkTree,
};
