//! Opening the store, and what to tell a user when that fails.

use std::{sync::Arc, time::Duration};

use emb_store::{CommitLog, MemoryLog, OpenError, OpenReport, Options, SqliteLog, Store};

use super::EmbeddedArgs;
use crate::{
    directory::Directory,
    exit::{Exit, Failure},
    up::World,
};

/// Opens the store of a data directory, or one in memory.
pub(super) fn open(
    args: &EmbeddedArgs,
    directory: &Directory,
    address: &str,
    world: &World,
) -> Result<(Arc<Store>, OpenReport), Failure> {
    let log: Box<dyn CommitLog> = if args.in_memory {
        Box::new(MemoryLog::default())
    } else {
        Box::new(SqliteLog::open(directory.path(), address).map_err(failure)?)
    };
    let retention = Duration::from_secs(args.history_seconds);
    let options = Options {
        retention,
        min_retention: retention.min(Options::default().min_retention),
        ..Options::default()
    };
    Store::open(log, world.clock.clone(), world.entropy.clone(), options).map_err(failure)
}

/// Each way to fail has an exit code and a way out.
pub(crate) fn failure(error: OpenError) -> Failure {
    let (exit, hint) = match &error {
        OpenError::Locked { .. } => {
            (Exit::DataDirectoryLocked, "stop that process, or pass another --data-dir")
        }
        OpenError::Damaged(_) => (
            Exit::Damaged,
            "put back a snapshot with `kargo restore FILE`; make one regularly with `kargo backup`",
        ),
        OpenError::Behind { .. } => {
            (Exit::Damaged, "put the missing file back, or a snapshot with `kargo restore FILE`")
        }
        OpenError::MissingKey { .. } => (Exit::Usage, "pass the file that has this key"),
        OpenError::NetworkFileSystem { .. } => {
            (Exit::Usage, "pass a --data-dir on a disk of this machine")
        }
        OpenError::NewerFormat { .. } => {
            (Exit::NewerFormat, "use the version of kargo that wrote it, or a newer one")
        }
        OpenError::DiskFull(_) => {
            (Exit::DiskFull, "free some space on that disk, then start again")
        }
        OpenError::Io(_) => {
            (Exit::Error, "check the permissions of the data directory and the health of the disk")
        }
    };
    Failure::new(exit, error).hint(hint)
}
