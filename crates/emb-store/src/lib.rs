//! The embedded multi-version object store: revisions, group commit, watch, compaction and backup.
//!
//! It knows objects as canonical JSON under a resource, namespace and name, with their labels and owners; it knows no kinds.
//! Every change gets the next revision, is made durable by a [`CommitLog`], and only then becomes visible: to readers, to
//! watchers and to the caller, in revision order. The whole current state is in memory; the log also keeps the history that
//! lists at a revision and watches from a revision need.

mod body;
mod entry;
mod intern;
mod key;
mod labels;
mod listing;
mod log;
mod managed;
mod op;
mod options;
mod ring;
mod sequence;
mod store;
mod table;
mod tables;
mod watch;

pub use entry::{Change, Entry, Event};
pub use key::Key;
pub use listing::{Listing, Range};
pub use log::{
    CommitLog, Done, Identity, KeyError, KeyId, Keyring, Loaded, LogError, Loss, MemoryLog, Past,
    Position, Quarantined, Record, Repaired, Restored, Segment, SegmentError, SegmentLimit, Span,
    SqliteLog, SqliteOptions, apply_segment, is_snapshot, position, read_segment, remove_if_there,
    repair, restore, snapshot,
};
pub use managed::ManagedFields;
pub use op::{CommitError, Expect, Op};
pub use options::{
    BackupError, Expired, Figures, Health, LogSize, OpenError, OpenReport, Options,
    ResourceFigures, Writes,
};
pub use store::{Hook, Store};
pub use watch::{WatchEnd, Watcher};
