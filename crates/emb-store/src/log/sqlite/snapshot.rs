//! Snapshots: making one while the store is in use, and starting again from one.

use std::{
    fs,
    path::{Path, PathBuf},
};

use core_clock::{Clock, Entropy};
use rusqlite::Connection;

use super::{
    DATABASE, failure,
    files::{self, put_in_place, remove_if_there, with_suffix},
    header::{self, Owner},
    load,
    lock::DirectoryLock,
    mark::Mark,
    row::Bodies,
    schema::{self, signed},
};
use crate::{BackupError, Identity, OpenError};

/// A restored store continues this far above the backup: no client has seen such a revision.
pub(super) const RESTORE_GAP: u64 = 1_000_000_000;

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
    let file = directory.join(DATABASE);
    let owner = header::owner(&file).map_err(|error| failure::backup_error(&error))?;
    if owner == Owner::Another {
        return Err(BackupError::Foreign { file });
    }
    write(&file, to)
}

/// Replaces the store in `directory` by the snapshot in `file`. Revisions continue far above any that a client may know, and
/// the history starts here, so that every client reads everything anew. Refused while a process has the store open.
pub fn restore(
    file: &Path,
    directory: &Path,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<Restored, OpenError> {
    validate(file).map_err(|error| match error {
        OpenError::Damaged(why) => OpenError::Snapshot { file: file.to_owned(), why },
        other => other,
    })?;
    files::create_directory(directory)?;
    let _lock = DirectoryLock::take(directory, "restoring a backup")?;
    let incoming = directory.join(INCOMING);
    let failed = |error| files::open_error(&incoming, &error);
    remove_if_there(&incoming).map_err(failed)?;
    schema::create_private(&incoming)?;
    fs::copy(file, &incoming).map_err(failed)?;
    let floor = floor(directory, clock).map_err(|error| files::open_error(directory, &error))?;
    let (identity, revision) =
        renew(&incoming, floor, entropy).map_err(|error| failure::open_error(&error))?;
    let (store, aside) = (directory.join(DATABASE), directory.join(REPLACED));
    let replaced = files::swap(&store, &incoming, &aside).map_err(failed)?;
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
    let damaged = load::read_current(&connection, Bodies::AsStored, &mut |_| Ok(()))?;
    match damaged.first() {
        None => Ok(()),
        Some(row) => Err(OpenError::Damaged(format!("{}: {}", row.key, row.reason))),
    }
}

/// No revision below this one may be given out in `directory` again: neither one that was, nor one that clients of another
/// store with the same past may know.
pub(super) fn floor(directory: &Path, clock: &dyn Clock) -> std::io::Result<u64> {
    let now = u64::try_from(clock.now().as_millis()).unwrap_or(0);
    Ok(Mark::open(directory)?.get()?.saturating_add(1).max(now))
}

fn renew(incoming: &Path, floor: u64, entropy: &dyn Entropy) -> rusqlite::Result<(Identity, u64)> {
    let mut connection = Connection::open(incoming)?;
    // One file, complete when the transaction is: no side files to move along.
    connection.execute_batch(
        "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON",
    )?;
    let transaction = connection.transaction()?;
    let revision = schema::last_revision(&transaction)?.saturating_add(RESTORE_GAP).max(floor);
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
