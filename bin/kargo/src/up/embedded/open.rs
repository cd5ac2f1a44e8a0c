//! Opening the store, and what to tell a user when that fails.

use std::{sync::Arc, time::Duration};

use emb_store::{
    CommitLog, KeyId, MemoryLog, OpenError, OpenReport, Options, SqliteLog, SqliteOptions, Store,
};

use super::EmbeddedArgs;
use crate::{
    directory::Directory,
    exit::{Exit, Failure},
    up::World,
};

/// An open store, and what is to be said about it.
pub(super) struct Opened {
    pub(super) store: Arc<Store>,
    pub(super) report: OpenReport,
    pub(super) sealing: Option<Sealing>,
}

/// How Secrets are encrypted.
pub(super) struct Sealing {
    /// The name of the key that encrypts.
    pub(super) key: KeyId,
    /// How many rows another key has encrypted, or none.
    pub(super) left: usize,
}

/// Opens the store of a data directory, or one in memory.
pub(super) fn open(
    args: &EmbeddedArgs,
    directory: &Directory,
    address: &str,
    world: &World,
) -> Result<Opened, Failure> {
    let keyring = args.encryption.keyring(&world.entropy)?;
    let key = keyring.as_ref().map(|keyring| keyring.first());
    let mut left = 0;
    let log: Box<dyn CommitLog> = if args.in_memory {
        Box::new(MemoryLog::default())
    } else {
        let network_file_system = args.allow_network_file_system;
        let options = SqliteOptions { keyring, network_file_system };
        let log = SqliteLog::open_with(directory.path(), address, options).map_err(failure)?;
        left = log.left_to_seal();
        Box::new(log)
    };
    let retention = Duration::from_secs(args.history_seconds);
    let options = Options {
        retention,
        min_retention: retention.min(Options::default().min_retention),
        ..Options::default()
    };
    let (clock, entropy) = (world.clock.clone(), world.entropy.clone());
    let (store, report) = Store::open(log, clock, entropy, options).map_err(failure)?;
    Ok(Opened { store, report, sealing: key.map(|key| Sealing { key, left }) })
}

/// Each way to fail has an exit code and a way out.
pub(crate) fn failure(error: OpenError) -> Failure {
    let (exit, hint) = match &error {
        OpenError::Locked { .. } => {
            (Exit::DataDirectoryLocked, "stop that process, or pass another --data-dir")
        }
        OpenError::Damaged(_) => (
            Exit::Damaged,
            "put back a snapshot with `kargo restore FILE`, or save what can be read with `kargo repair`",
        ),
        OpenError::Foreign { .. } => (
            Exit::Damaged,
            "pass another --data-dir; if the store was here, its beginning is damaged: save what can be read with `kargo repair`",
        ),
        OpenError::Snapshot { .. } => {
            (Exit::Damaged, "copy the file again from where it was made, or use another one")
        }
        OpenError::Behind { .. } => (
            Exit::Damaged,
            "put the missing file back, or go on with what is there: `kargo repair` sees to it that no revision is given out twice",
        ),
        OpenError::MissingKey { .. } => (
            Exit::Usage,
            "pass the file that has this key with --encryption-key-file; the first key in it encrypts, the others read",
        ),
        OpenError::NetworkFileSystem { .. } => (
            Exit::Usage,
            "pass a --data-dir on a disk of this machine, or --allow-network-file-system if no other machine uses it",
        ),
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
