//! Snapshots: making one while the store is in use, and starting again from one.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use core_clock::{Clock, Entropy};
use rusqlite::Connection;

use super::{
    DATABASE, failure, load,
    lock::DirectoryLock,
    schema::{self, signed},
};
use crate::{BackupError, Identity, OpenError};

/// A restored store continues this far above the backup: no client has seen such a revision.
const RESTORE_GAP: u64 = 1_000_000_000;

/// What [`restore`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The store as it is now called.
    pub identity: Identity,
    /// The revision that it continues from.
    pub revision: u64,
    /// Where the data that was there before is kept.
    pub replaced: Option<PathBuf>,
}

/// Writes a consistent copy of `database` to the file `to`, which appears only when it is complete and durable.
pub(super) fn write(database: &Path, to: &Path) -> Result<(), BackupError> {
    let partial = with_suffix(to, ".partial");
    remove_if_there(&partial).map_err(|error| failure::backup_error(&error))?;
    let written = schema::create_private(&partial)
        .map_err(|error| failure::backup_error(&error))
        .and_then(|()| vacuum_into(database, &partial).map_err(|e| failure::backup_error(&e)))
        .and_then(|()| put_in_place(&partial, to).map_err(|e| failure::backup_error(&e)));
    if written.is_err() {
        // The first error is the one to tell; a leftover is removed by the next backup.
        let _ = remove_if_there(&partial);
    }
    written
}

fn vacuum_into(database: &Path, to: &Path) -> rusqlite::Result<()> {
    let connection = schema::open_reader(database)?;
    connection.execute("VACUUM INTO ?1", [to.to_string_lossy()]).map(drop)
}

/// Writes a consistent copy of the store in `directory` to the file `to`, also while another process serves it.
pub fn snapshot(directory: &Path, to: &Path) -> Result<(), BackupError> {
    write(&directory.join(DATABASE), to)
}

/// Replaces the store in `directory` by the snapshot in `file`. Revisions continue far above any that a client may know, and
/// the history starts here, so that every client reads everything anew. Refused while a process has the store open.
pub fn restore(
    file: &Path,
    directory: &Path,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<Restored, OpenError> {
    validate(file)?;
    super::create_directory(directory)?;
    let _lock = DirectoryLock::take(directory, "restoring a backup")?;
    let incoming = directory.join(INCOMING);
    remove_if_there(&incoming).map_err(|error| failed(&incoming, &error))?;
    schema::create_private(&incoming)?;
    fs::copy(file, &incoming).map_err(|error| failed(&incoming, &error))?;
    let now = u64::try_from(clock.now().as_millis()).unwrap_or(0);
    let (identity, revision) =
        renew(&incoming, now, entropy).map_err(|error| failure::open_error(&error))?;
    let replaced = swap(directory, &incoming).map_err(|error| failed(directory, &error))?;
    Ok(Restored { identity, revision, replaced })
}

/// The restored file before it takes its place; its presence without a store means that a restore was cut short.
pub(super) const INCOMING: &str = "store.db.restoring";
const REPLACED: &str = "store.db.replaced";

/// Opens the snapshot without changing it, checks its structure and every object.
fn validate(file: &Path) -> Result<(), OpenError> {
    let connection = schema::open_reader(file).map_err(|error| failure::open_error(&error))?;
    schema::check_format(&connection)?;
    schema::check_structure(&connection, "integrity_check")?;
    let damaged = load::read_current(&connection, &mut |_| Ok(()));
    match damaged.map_err(|error| failure::open_error(&error))?.first() {
        None => Ok(()),
        Some(row) => Err(OpenError::Damaged(format!("{}: {}", row.key, row.reason))),
    }
}

fn renew(incoming: &Path, now: u64, entropy: &dyn Entropy) -> rusqlite::Result<(Identity, u64)> {
    let mut connection = Connection::open(incoming)?;
    // One file, complete when the transaction is: no side files to move along.
    connection.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")?;
    let transaction = connection.transaction()?;
    let revision = schema::last_revision(&transaction)?.saturating_add(RESTORE_GAP).max(now);
    let epoch = schema::identity(&transaction)?.map_or(1, |identity| identity.epoch + 1);
    let identity = Identity { uuid: entropy.uuid(), epoch };
    schema::set_identity(&transaction, &identity)?;
    schema::set_meta(&transaction, "last_revision", signed(revision))?;
    schema::set_meta(&transaction, "compacted", signed(revision))?;
    transaction.execute("DELETE FROM log WHERE rev NOT IN (SELECT rev FROM current)", [])?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)?;
    Ok((identity, revision))
}

/// Moves the old store aside, with the side files that belong to it, and the new one into its place.
fn swap(directory: &Path, incoming: &Path) -> io::Result<Option<PathBuf>> {
    File::open(incoming)?.sync_all()?;
    let (store, replaced) = (directory.join(DATABASE), directory.join(REPLACED));
    for suffix in ["-shm", "-wal", ""] {
        let (from, to) = (with_suffix(&store, suffix), with_suffix(&replaced, suffix));
        remove_if_there(&to)?;
        if from.exists() {
            fs::rename(from, to)?;
        }
    }
    fs::rename(incoming, &store)?;
    super::sync_parent(&store)?;
    Ok(replaced.exists().then_some(replaced))
}

fn put_in_place(partial: &Path, to: &Path) -> io::Result<()> {
    File::open(partial)?.sync_all()?;
    fs::rename(partial, to)?;
    super::sync_parent(to)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn failed(path: &Path, error: &io::Error) -> OpenError {
    let text = format!("{}: {error}", path.display());
    if error.kind() == io::ErrorKind::StorageFull {
        OpenError::DiskFull(text)
    } else {
        OpenError::Io(text)
    }
}
