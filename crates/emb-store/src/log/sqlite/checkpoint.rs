//! Putting what is in the write-ahead log into its place in the file, without making a batch wait for much of it.
//!
//! A little is done between batches, because only then the log can start over. While a backup reads, nothing can be done and
//! the log grows; what has gathered by its end is put into place on a thread of its own, until little is left again.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use rusqlite::{Connection, OpenFlags, Result};

/// From this many pages on something is done.
const WORTH_IT: i64 = 1_000;
/// More pages than this are too many to do between batches.
const TOO_MANY: i64 = 4_000;

/// When and where pages are put into their places.
pub(super) struct Checkpoints {
    file: PathBuf,
    /// Whether the other thread is at work.
    busy: Arc<AtomicBool>,
    /// How many pages there were when it was started last.
    started_at: i64,
}

/// What to do about the pages in the log.
#[derive(Debug, PartialEq, Eq)]
enum Plan {
    Nothing,
    Here,
    OnTheSide,
}

impl Checkpoints {
    pub(super) fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), busy: Arc::default(), started_at: 0 }
    }

    /// Called after a batch.
    pub(super) fn after_batch(&mut self, connection: &Connection) -> Result<()> {
        // Asks without doing anything: how many pages there are, and how many of them are in place.
        let (all, done) = state(connection, "NOOP")?;
        match self.plan(all, all - done) {
            Plan::Nothing => Ok(()),
            Plan::Here => state(connection, "PASSIVE").map(drop),
            Plan::OnTheSide => {
                self.started_at = all;
                self.start();
                Ok(())
            }
        }
    }

    fn plan(&mut self, all: i64, left: i64) -> Plan {
        // The log has started over since.
        self.started_at = self.started_at.min(all);
        if all < WORTH_IT || left == 0 || self.busy.load(Ordering::Acquire) {
            Plan::Nothing
        } else if left <= TOO_MANY {
            Plan::Here
        } else if all - self.started_at >= TOO_MANY {
            Plan::OnTheSide
        } else {
            // Somebody reads what is there: not before there is something new to try it with.
            Plan::Nothing
        }
    }

    fn start(&self) {
        let (file, busy) = (self.file.clone(), self.busy.clone());
        busy.store(true, Ordering::Release);
        let spawned = thread::Builder::new().name("store-checkpoint".to_owned()).spawn(move || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let done = Connection::open_with_flags(file, flags)
                .and_then(|connection| state(&connection, "PASSIVE"));
            if let Err(error) = done {
                tracing::warn!(%error, "the write-ahead log is put into place later");
            }
            busy.store(false, Ordering::Release);
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "no thread for the write-ahead log");
            self.busy.store(false, Ordering::Release);
        }
    }
}

/// Runs a checkpoint; returns how many pages are in the log, and how many of them in their places.
fn state(connection: &Connection, mode: &str) -> Result<(i64, i64)> {
    let mut statement = connection.prepare_cached(&format!("PRAGMA wal_checkpoint({mode})"))?;
    statement.query_row([], |row| Ok((row.get(1)?, row.get(2)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_done_between_batches_and_much_on_the_side() {
        let mut checkpoints = Checkpoints::new(Path::new("none"));
        assert_eq!(checkpoints.plan(900, 900), Plan::Nothing);
        assert_eq!(checkpoints.plan(1_000, 1_000), Plan::Here);
        assert_eq!(checkpoints.plan(5_000, 5_000), Plan::OnTheSide);
        checkpoints.started_at = 5_000;
        assert_eq!(checkpoints.plan(5_500, 5_500), Plan::Nothing);
        assert_eq!(checkpoints.plan(9_000, 9_000), Plan::OnTheSide);
        checkpoints.busy.store(true, Ordering::Release);
        assert_eq!(checkpoints.plan(20_000, 20_000), Plan::Nothing);
        checkpoints.busy.store(false, Ordering::Release);
        assert_eq!(checkpoints.plan(20_000, 30), Plan::Here);
        assert_eq!(checkpoints.plan(3, 3), Plan::Nothing);
        assert_eq!(checkpoints.started_at, 3);
    }
}
