//! Commits, tags and changed paths, read in process from a mirror.

mod changed_paths;
mod commit;
mod reader;
mod snapshot;

pub use commit::{Commit, Person, Tag};
pub use reader::{FirstParents, Reader};
pub use snapshot::Snapshot;
