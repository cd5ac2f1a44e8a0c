//! Commits, tags and changed paths, read in process from a mirror.

mod changed_paths;
mod commit;
mod known_changes;
mod reader;
mod snapshot;

pub use commit::{Commit, Date, Person, Tag};
pub(crate) use known_changes::KnownChanges;
pub use reader::{FirstParents, Reader};
pub use snapshot::Snapshot;
