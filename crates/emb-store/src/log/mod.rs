//! The port to durable storage. The store decides what is written and in which order; a log makes it last and reads it back.

mod memory;
mod sqlite;

use std::{path::Path, sync::Arc};

use bytes::Bytes;
use core_clock::Time;
use emb_meta::GroupResource;
use thiserror::Error;

pub use memory::MemoryLog;
pub use sqlite::{
    KeyError, KeyId, Keyring, Loss, Position, Repaired, Restored, Segment, SegmentError,
    SegmentLimit, Span, SqliteLog, SqliteOptions, apply_segment, is_snapshot, position,
    read_segment, remove_if_there, repair, restore, snapshot,
};

use crate::{BackupError, Change, Event, Key, LogSize, OpenError};

/// Called once with the result, on any thread.
pub type Done<T, E> = Box<dyn FnOnce(Result<T, E>) + Send>;

/// Which store this is; clients that know another one must start over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Random; a restored backup gets a new one.
    pub uuid: String,
    /// Counts restores.
    pub epoch: u64,
}

/// One change as the log keeps it.
#[derive(Clone, Debug)]
pub struct Record {
    /// The revision of the change.
    pub revision: u64,
    /// The object.
    pub key: Key,
    /// What happened.
    pub change: Change,
    /// The revision of the state before; 0 when there was none.
    pub previous: u64,
    /// When.
    pub written_at: Time,
    /// The object after the change; empty for a delete.
    pub body: Bytes,
}

/// A change of the past with the state that it replaced.
#[derive(Clone, Debug)]
pub struct Past {
    /// The change.
    pub record: Record,
    /// What it replaced.
    pub previous: Option<Record>,
}

/// A damaged row that was set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quarantined {
    /// Its revision.
    pub revision: u64,
    /// Its object, as far as it can be told.
    pub key: Key,
    /// What is wrong.
    pub reason: String,
}

/// What a log says about itself after everything current was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Which store it is.
    pub identity: Identity,
    /// The last revision ever given out.
    pub last_revision: u64,
    /// History up to here is gone.
    pub compacted: u64,
    /// Damaged rows.
    pub quarantined: Vec<Quarantined>,
    /// Whether the last process did not close the log.
    pub unclean: bool,
}

/// Why the log did not take a batch. Nothing of the batch will be read back by this process.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LogError {
    /// There is no room; later there may be.
    #[error("no space left on the disk: {0}")]
    DiskFull(String),
    /// A read or write failed; it may work later.
    #[error("disk error: {0}")]
    Io(String),
    /// What is on the disk is unknown (a failed fsync, a damaged file): only a restart may write again.
    #[error("restart required: {0}")]
    Fatal(String),
    /// The log was closed.
    #[error("the log is closed")]
    Closed,
}

/// Durable storage of the changes. One store uses one log; calls come from any thread.
pub trait CommitLog: Send + Sync {
    /// Hands every current object to `accept`; a record that it refuses (with a reason) is quarantined. Called once, first.
    /// A log that is new takes `fresh` as its identity.
    fn load(
        &self,
        fresh: Identity,
        accept: &mut dyn FnMut(Record) -> Result<(), String>,
    ) -> Result<Loaded, OpenError>;

    /// Makes `batch` durable, all or nothing, then calls `done`. The store waits for it before the next batch.
    fn append(&self, batch: Vec<Arc<Event>>, done: Done<(), LogError>);

    /// Tries whether writing works, after it did not.
    fn probe(&self, done: Done<(), LogError>);

    /// Changes of `resource` (of all when `None`) with `after < revision ≤ upto`, oldest first, at most `limit`.
    fn history(
        &self,
        resource: Option<&GroupResource>,
        after: u64,
        upto: u64,
        limit: usize,
    ) -> Result<Vec<Past>, LogError>;

    /// The last revision that was written at `time` or before, as far as history goes back.
    fn boundary(&self, time: Time) -> Result<u64, LogError>;

    /// Forgets states that were superseded at `upto` or before. May go on after the call returns.
    fn compact(&self, upto: u64);

    /// Writes a snapshot to the file `to` without holding up writes, then calls `done`.
    fn backup(&self, to: &Path, done: Done<(), BackupError>);

    /// How large it is.
    fn size(&self) -> LogSize {
        LogSize::default()
    }

    /// Finishes what was handed over, then releases everything. Later calls fail.
    fn close(&self);
}
