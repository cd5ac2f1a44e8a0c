//! The settings of a store, and what it says about itself.

use std::{path::PathBuf, time::Duration};

use emb_meta::GroupResource;
use thiserror::Error;

use crate::{Identity, Quarantined};

/// Limits of a store.
#[derive(Clone, Debug)]
pub struct Options {
    /// The largest object, in bytes of canonical JSON.
    pub max_object_bytes: usize,
    /// The most operations that share one fsync; a single larger commit still goes as one.
    pub batch_operations: usize,
    /// How many events of each resource stay in memory at least.
    pub ring_entries: usize,
    /// For how long events stay in memory at least.
    pub ring_age: Duration,
    /// The memory that superseded states in all rings together may hold; wins over the two minima.
    pub ring_bytes: usize,
    /// For how long history can be read.
    pub retention: Duration,
    /// The part of the history that even `max_history` leaves alone.
    pub min_retention: Duration,
    /// The most revisions of history.
    pub max_history: u64,
    /// How long to wait before trying again after the disk was full.
    pub probe_interval: Duration,
    /// The most events that a watcher is handed at once.
    pub watch_batch: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_object_bytes: 3 * 512 * 1024,
            batch_operations: 256,
            ring_entries: 4096,
            ring_age: Duration::from_mins(10),
            ring_bytes: 64 * 1024 * 1024,
            retention: Duration::from_hours(1),
            min_retention: Duration::from_mins(5),
            max_history: 1_000_000,
            probe_interval: Duration::from_secs(1),
            watch_batch: 256,
        }
    }
}

/// What was found when the store was opened.
#[derive(Clone, Debug)]
pub struct OpenReport {
    /// Which store it is.
    pub identity: Identity,
    /// The last revision.
    pub revision: u64,
    /// History up to here is gone.
    pub compacted: u64,
    /// How many objects there are.
    pub objects: usize,
    /// Rows that were damaged and set aside; their objects are not served.
    pub quarantined: Vec<Quarantined>,
    /// Whether the last process did not close the store.
    pub unclean: bool,
}

/// Why a store could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error(
        "the data directory is in use by process {pid} ({address}); stop it or choose another data directory"
    )]
    Locked {
        /// The process.
        pid: u32,
        /// Where it serves.
        address: String,
    },
    /// The file is no store, or its structure is broken.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// The file that would be the store is the database of another program.
    #[error("{} is the database of another program", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// The file to restore is no snapshot, or not a whole one.
    #[error("{} is not a whole snapshot: {why}", file.display())]
    Snapshot {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It ends before revisions that were given out: its newest part was lost, or an older copy was put into its place.
    #[error(
        "the store ends at revision {found}, but {marked} was given out: store.db-wal is missing or damaged, or store.db is an older copy"
    )]
    Behind {
        /// The last revision in the file.
        found: u64,
        /// The last revision that is known to have been written.
        marked: u64,
    },
    /// Objects are sealed with a key that was not given.
    #[error("the store needs the encryption key {key}, which is not among the keys given")]
    MissingKey {
        /// The name of the key.
        key: String,
    },
    /// The data directory is on another machine.
    #[error(
        "the data directory is on a network file system ({kind}), which cannot keep a second machine from writing to it"
    )]
    NetworkFileSystem {
        /// What it is called.
        kind: String,
    },
    /// A newer version of this program wrote it.
    #[error(
        "the store has format {found}, this version reads up to {supported}; use the newer version, or restore a backup made by this one"
    )]
    NewerFormat {
        /// The format on disk.
        found: u32,
        /// The newest format known here.
        supported: u32,
    },
    /// There is no room.
    #[error("no space is left for the store: {0}")]
    DiskFull(String),
    /// The disk or its permissions failed.
    #[error("the store cannot be read or written: {0}")]
    Io(String),
}

/// Whether the store takes writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writes {
    /// It does.
    Accepted,
    /// Not now; it tries again by itself. The text says why.
    Paused(String),
    /// Not before a restart. The text says why.
    Stopped(String),
}

/// How the store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Whether it takes writes.
    pub writes: Writes,
    /// How many damaged rows were set aside when it was opened.
    pub quarantined: usize,
}

/// How large a store is, and how its watchers keep up.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// The files of the log.
    pub log: LogSize,
    /// The memory that recent events hold beside the objects.
    pub ring_bytes: usize,
    /// Every resource that was ever asked for.
    pub resources: Vec<ResourceFigures>,
}

/// The size of a log, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogSize {
    /// What is in its place.
    pub database: u64,
    /// What is durable and has yet to be put into its place.
    pub write_ahead: u64,
}

/// The same for one resource.
#[derive(Clone, Debug)]
pub struct ResourceFigures {
    /// The resource.
    pub resource: GroupResource,
    /// How many objects there are.
    pub objects: usize,
    /// Events above this revision are in memory.
    pub history_floor: u64,
    /// How many watchers there are.
    pub watchers: usize,
    /// How many events the slowest of them has yet to take.
    pub most_behind: usize,
}

/// The revision asked for is older than the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("too old resource version: {requested} ({oldest})")]
pub struct Expired {
    /// The revision asked for.
    pub requested: u64,
    /// The oldest revision that can be asked for.
    pub oldest: u64,
}

/// Why a backup was not made.
#[derive(Debug, Error)]
pub enum BackupError {
    /// This kind of log has no file to copy.
    #[error("a store in memory cannot be backed up")]
    Unsupported,
    /// The file that would be the store is the database of another program.
    #[error("{} is the database of another program", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// The snapshot could not be written.
    #[error("the backup could not be written: {0}")]
    Io(String),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}
