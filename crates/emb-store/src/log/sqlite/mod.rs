//! The log in a SQLite file: one thread writes, with an fsync per batch; readers of the past have a connection of their own.
//!
//! The data directory holds `store.db` with its side files and `lock`, which names the process that has it open.

mod checkpoint;
mod compaction;
mod digest;
mod failure;
mod file_system;
mod files;
mod header;
mod history;
mod load;
mod lock;
mod mark;
mod migration;
mod row;
mod salvage;
mod schema;
mod sealing;
mod segment;
mod snapshot;
#[cfg(test)]
mod tests;
mod writer;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{self, Sender},
    },
    thread::{self, JoinHandle},
};

use core_clock::Time;
use emb_meta::GroupResource;
use parking_lot::Mutex;
use rusqlite::Connection;

use self::{
    checkpoint::Checkpoints,
    failure::{log_error, open_error},
    files::{create_directory, put_in_place, with_suffix},
    lock::DirectoryLock,
    mark::Mark,
    row::Bodies,
    sealing::Rewrite,
    writer::{Task, Tools, Writer},
};
use super::{CommitLog, Done, Identity, Loaded, LogError, Past, Record};
use crate::{BackupError, Event, LogSize, OpenError};

pub use files::remove_if_there;
pub use header::is_snapshot;
pub use salvage::{Loss, Repaired, repair};
pub use sealing::{KeyError, KeyId, Keyring};
pub use segment::{
    Position, Segment, SegmentError, SegmentLimit, Span, apply_segment, position, read_segment,
};
pub use snapshot::{Restored, restore, snapshot};

const DATABASE: &str = "store.db";

/// How a data directory is opened.
#[derive(Clone, Default)]
pub struct SqliteOptions {
    /// Keys for the bodies of some kinds; without them everything is stored as it is.
    pub keyring: Option<Arc<Keyring>>,
    /// Whether a network file system will do, although it cannot keep a second machine out.
    pub network_file_system: bool,
}

/// A log in a data directory.
pub struct SqliteLog {
    file: PathBuf,
    keyring: Option<Arc<Keyring>>,
    phase: Mutex<Phase>,
    reader: Mutex<Option<Connection>>,
    lock: Mutex<Option<DirectoryLock>>,
}

enum Phase {
    /// The file is open; nothing was read yet.
    Opened(Opened),
    Running {
        tasks: Sender<Task>,
        thread: JoinHandle<()>,
    },
    Closed,
}

struct Opened {
    connection: Connection,
    unclean: bool,
    mark: Mark,
    rewrite: Option<Rewrite>,
}

impl SqliteLog {
    /// Opens the log in `directory` as [`SqliteLog::open_with`] does, with no options.
    pub fn open(directory: &Path, address: &str) -> Result<Self, OpenError> {
        Self::open_with(directory, address, SqliteOptions::default())
    }

    /// Opens the log in `directory`, made if it is not there. `address` is where this process serves: a second process that
    /// finds the directory in use tells it to its user.
    pub fn open_with(
        directory: &Path,
        address: &str,
        options: SqliteOptions,
    ) -> Result<Self, OpenError> {
        create_directory(directory)?;
        if !options.network_file_system {
            file_system::refuse_network(directory)?;
        }
        let lock = DirectoryLock::take(directory, address)?;
        let file = directory.join(DATABASE);
        if !file.exists() && directory.join(snapshot::INCOMING).exists() {
            let text = "store.db is not there, because a restore or a repair was cut short: run the restore again, or rename store.db.replaced or store.db.damaged to store.db";
            return Err(OpenError::Damaged(text.to_owned()));
        }
        let opened = Opened::open(directory, &file, options.keyring.as_deref())?;
        let reader = schema::open_reader(&file).map_err(|error| open_error(&error))?;
        Ok(Self {
            file,
            keyring: options.keyring,
            phase: Mutex::new(Phase::Opened(opened)),
            reader: Mutex::new(Some(reader)),
            lock: Mutex::new(Some(lock)),
        })
    }

    /// How many rows were found that the first key has not sealed. The log seals them beside its work.
    pub fn left_to_seal(&self) -> usize {
        match &*self.phase.lock() {
            Phase::Opened(opened) => opened.rewrite.as_ref().map_or(0, Rewrite::total),
            Phase::Running { .. } | Phase::Closed => 0,
        }
    }

    /// Tells later processes that this one serves at `address`, once it is known.
    pub fn announce(&self, address: &str) -> io::Result<()> {
        match self.lock.lock().as_mut() {
            Some(lock) => lock.announce(address),
            None => Ok(()),
        }
    }

    /// Hands a task to the thread; gives it back when there is none.
    fn send(&self, task: Task) -> Result<(), Task> {
        match &*self.phase.lock() {
            Phase::Running { tasks, .. } => tasks.send(task).map_err(|unsent| unsent.0),
            Phase::Opened(_) | Phase::Closed => Err(task),
        }
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, LogError>,
    ) -> Result<T, LogError> {
        self.reader.lock().as_ref().map_or(Err(LogError::Closed), read)
    }
}

impl CommitLog for SqliteLog {
    fn load(
        &self,
        fresh: Identity,
        accept: &mut dyn FnMut(Record) -> Result<(), String>,
    ) -> Result<Loaded, OpenError> {
        let mut phase = self.phase.lock();
        let Phase::Opened(opened) = std::mem::replace(&mut *phase, Phase::Closed) else {
            return Err(OpenError::Io("the log was loaded before".to_owned()));
        };
        let Opened { connection, unclean, mark, rewrite } = opened;
        let bodies = Bodies::Opened(self.keyring.as_deref());
        let loaded = load::load(&connection, fresh, unclean, bodies, accept)?;
        let tools = Tools {
            checkpoints: Checkpoints::new(&self.file),
            mark,
            keyring: self.keyring.clone(),
        };
        let writer = Writer::new(connection, tools, rewrite).map_err(|error| open_error(&error))?;
        let (tasks, receiver) = mpsc::channel();
        let thread = thread::Builder::new().name("store-log".to_owned());
        let thread = thread
            .spawn(move || writer.run(&receiver))
            .map_err(|error| OpenError::Io(error.to_string()))?;
        *phase = Phase::Running { tasks, thread };
        Ok(loaded)
    }

    fn append(&self, batch: Vec<Arc<Event>>, done: Done<(), LogError>) {
        if let Err(Task::Append { done, .. }) = self.send(Task::Append { batch, done }) {
            done(Err(LogError::Closed));
        }
    }

    fn probe(&self, done: Done<(), LogError>) {
        if let Err(Task::Probe { done }) = self.send(Task::Probe { done }) {
            done(Err(LogError::Closed));
        }
    }

    fn history(
        &self,
        resource: Option<&GroupResource>,
        after: u64,
        upto: u64,
        limit: usize,
    ) -> Result<Vec<Past>, LogError> {
        let bodies = Bodies::Opened(self.keyring.as_deref());
        self.read(|reader| history::read(reader, resource, (after, upto), limit, bodies))
    }

    fn boundary(&self, time: Time) -> Result<u64, LogError> {
        self.read(|reader| history::boundary(reader, time).map_err(|error| log_error(&error)))
    }

    fn compact(&self, upto: u64) {
        // Without a thread there is nothing to compact: the next process does it.
        let _ = self.send(Task::Compact { upto });
    }

    fn backup(&self, to: &Path, done: Done<(), BackupError>) {
        if !matches!(*self.phase.lock(), Phase::Running { .. }) {
            return done(Err(BackupError::Closed));
        }
        let (file, to) = (self.file.clone(), to.to_owned());
        // A thread of its own with a connection of its own: batches go on at full speed meanwhile.
        let spawned = thread::Builder::new()
            .name("store-backup".to_owned())
            .spawn(move || done(snapshot::write(&file, &to)));
        if let Err(error) = spawned {
            // The callback went with the closure; the store answers for it.
            tracing::warn!(%error, "no thread for the backup");
        }
    }

    fn size(&self) -> LogSize {
        let length = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
        let write_ahead = length(&with_suffix(&self.file, "-wal"));
        LogSize { database: length(&self.file), write_ahead }
    }

    fn close(&self) {
        let phase = std::mem::replace(&mut *self.phase.lock(), Phase::Closed);
        // The reader goes first, so that the writer is the last connection and leaves one tidy file.
        drop(self.reader.lock().take());
        if let Phase::Running { tasks, thread } = phase {
            drop(tasks);
            // A commit's callback may let go of the store on the thread itself, which then ends by itself.
            if thread.thread().id() != thread::current().id() && thread.join().is_err() {
                tracing::error!("the log thread panicked");
            }
        }
        drop(self.lock.lock().take());
    }
}

impl Drop for SqliteLog {
    fn drop(&mut self) {
        self.close();
    }
}

impl Opened {
    /// Opens the file, and finds out whether it is whole and can be read.
    fn open(directory: &Path, file: &Path, keyring: Option<&Keyring>) -> Result<Self, OpenError> {
        let connection = schema::open_writer(file)?;
        migration::migrate(&connection, file)?;
        let failed = |error: rusqlite::Error| open_error(&error);
        let clean = schema::get_meta::<bool>(&connection, "clean").map_err(failed)?;
        let unclean = clean != Some(true);
        if unclean {
            schema::check_structure(&connection, "quick_check")?;
        }
        let mut mark =
            Mark::open(directory).map_err(|error| files::open_error(directory, &error))?;
        let marked = mark.get().map_err(|error| files::open_error(directory, &error))?;
        let found = schema::last_revision(&connection).map_err(failed)?;
        if found < marked && schema::last_listed(&connection).map_err(failed)? < marked {
            return Err(OpenError::Behind { found, marked });
        }
        let connection = sealing::scrub_if_due(connection, file)?;
        let rewrite = sealing::begin(&connection, keyring)?;
        Ok(Self { connection, unclean, mark, rewrite })
    }
}
