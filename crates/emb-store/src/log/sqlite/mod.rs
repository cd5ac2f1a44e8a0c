//! The log in a SQLite file: one thread writes, with an fsync per batch; readers of the past have a connection of their own.
//!
//! The data directory holds `store.db` with its side files and `lock`, which names the process that has it open.

mod compaction;
mod failure;
mod history;
mod load;
mod lock;
mod row;
mod schema;
mod snapshot;
#[cfg(test)]
mod tests;
mod writer;

use std::{
    fs::{DirBuilder, File},
    io,
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
    failure::{log_error, open_error},
    lock::DirectoryLock,
    writer::{Task, Writer},
};
use super::{CommitLog, Done, Identity, Loaded, LogError, Past, Record};
use crate::{BackupError, Event, OpenError};

pub use snapshot::{Restored, restore, snapshot};

const DATABASE: &str = "store.db";

/// A log in a data directory.
pub struct SqliteLog {
    file: PathBuf,
    phase: Mutex<Phase>,
    reader: Mutex<Option<Connection>>,
    lock: Mutex<Option<DirectoryLock>>,
}

enum Phase {
    /// The file is open; nothing was read yet.
    Opened {
        connection: Connection,
        unclean: bool,
    },
    Running {
        tasks: Sender<Task>,
        thread: JoinHandle<()>,
    },
    Closed,
}

impl SqliteLog {
    /// Opens the log in `directory`, made if it is not there. `address` is where this process serves: a second process that
    /// finds the directory in use tells it to its user.
    pub fn open(directory: &Path, address: &str) -> Result<Self, OpenError> {
        create_directory(directory)?;
        let lock = DirectoryLock::take(directory, address)?;
        let file = directory.join(DATABASE);
        if !file.exists() && directory.join(snapshot::INCOMING).exists() {
            let text = "a restore was cut short, run it again".to_owned();
            return Err(OpenError::Damaged(text));
        }
        let connection = schema::open_writer(&file)?;
        let clean = schema::get_meta::<bool>(&connection, "clean").map_err(|e| open_error(&e))?;
        let unclean = clean != Some(true);
        if unclean {
            schema::check_structure(&connection, "quick_check")?;
        }
        let reader = schema::open_reader(&file).map_err(|error| open_error(&error))?;
        Ok(Self {
            file,
            phase: Mutex::new(Phase::Opened { connection, unclean }),
            reader: Mutex::new(Some(reader)),
            lock: Mutex::new(Some(lock)),
        })
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
            Phase::Opened { .. } | Phase::Closed => Err(task),
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
        let Phase::Opened { connection, unclean } = std::mem::replace(&mut *phase, Phase::Closed)
        else {
            return Err(OpenError::Io("the log was loaded before".to_owned()));
        };
        let loaded = load::load(&connection, fresh, unclean, accept).map_err(|e| open_error(&e))?;
        let writer = Writer::new(connection).map_err(|error| open_error(&error))?;
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
        self.read(|reader| history::read(reader, resource, (after, upto), limit))
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

/// Makes the data directory, for its owner alone, so that it outlasts a loss of power.
fn create_directory(directory: &Path) -> Result<(), OpenError> {
    let failed = |error: io::Error| OpenError::Io(format!("{}: {error}", directory.display()));
    if directory.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(failed)?;
    sync_parent(directory).map_err(failed)
}

/// Makes the name of a new file or directory durable.
fn sync_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}
