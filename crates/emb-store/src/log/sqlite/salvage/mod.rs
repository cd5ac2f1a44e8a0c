//! Making a sound store of a damaged one: every object whose row can be read, and a list of everything that cannot.
//!
//! The damaged file is read page by page without SQLite, which would stop at the first broken one. It stays as it is, beside
//! the new one.

mod cell;
mod choose;
mod find;
mod pages;
#[cfg(test)]
mod tests;
mod wal;

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use core_clock::{Clock, Entropy};
use rusqlite::{Connection, Result};

use self::{
    cell::{Value, cells},
    choose::Choice,
    find::{Findings, stored_row},
    pages::Pages,
};
use super::{
    DATABASE, digest,
    failure::open_error,
    files,
    lock::DirectoryLock,
    mark::Mark,
    schema::{self, FORMAT, signed, unsigned},
    sealing,
    snapshot::{INCOMING, RESTORE_GAP, floor},
};
use crate::{Identity, Key, OpenError};

const DAMAGED: &str = "store.db.damaged";

/// What [`repair`] did.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The store as it is now called.
    pub identity: Identity,
    /// The revision that it continues from.
    pub revision: u64,
    /// How many objects it has.
    pub objects: usize,
    /// What is not as it was.
    pub losses: Vec<Loss>,
    /// Where the damaged file is kept.
    pub damaged: PathBuf,
}

/// What became of an object that could not be brought over as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// No state of it can be read.
    Lost {
        /// The object.
        key: Key,
        /// The revision of its last state.
        revision: u64,
    },
    /// Its last state cannot be read; an earlier one was put into its place.
    Older {
        /// The object.
        key: Key,
        /// The revision of its last state.
        revision: u64,
        /// The revision of the state that is there now.
        found: u64,
    },
    /// Everything that was written last is missing, whatever it was.
    Newest {
        /// The last revision that was found.
        found: u64,
        /// The last revision that was given out.
        revision: u64,
    },
    /// Nothing says whether it was deleted since; it is there again.
    Unlisted {
        /// The object.
        key: Key,
        /// The revision of the state that is there now.
        revision: u64,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost { key, revision } => write!(f, "{key} is lost (revision {revision})"),
            Self::Older { key, revision, found } => {
                write!(f, "{key} is as it was at revision {found}; revision {revision} is lost")
            }
            Self::Newest { found, revision } => {
                write!(f, "everything written after revision {found}, up to {revision}, is lost")
            }
            Self::Unlisted { key, revision } => {
                write!(
                    f,
                    "{key} is there as of revision {revision}; it may have been deleted since"
                )
            }
        }
    }
}

/// Replaces the damaged store in `directory` by one with every object that can be read. Revisions continue far above any
/// that a client may know, so that every client reads everything anew. Refused while a process has the store open.
pub fn repair(
    directory: &Path,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<Repaired, OpenError> {
    let _lock = DirectoryLock::take(directory, "repairing the store")?;
    let (store, incoming) = (directory.join(DATABASE), directory.join(INCOMING));
    let failed = |error| files::open_error(&store, &error);
    let mut pages = Pages::open(&store).map_err(failed)?;
    let findings = Findings::collect(&mut pages);
    if findings.is_empty() {
        return Err(OpenError::Damaged("nothing in it can be read".to_owned()));
    }
    refuse_newer(&findings)?;
    let mut choice = choose::choose(&findings);
    let marked = Mark::open(directory).and_then(|mut mark| mark.get()).map_err(failed)?;
    let found = unsigned(findings.last_revision());
    if found < marked {
        choice.losses.push(Loss::Newest { found, revision: marked });
    }
    let floor = floor(directory, clock).map_err(failed)?;
    let after_last = found.saturating_add(RESTORE_GAP);
    // A number that was never given out is a damaged one, and must not become the revision of everything.
    let revision = if schema::is_plausible(after_last) { after_last.max(floor) } else { floor };
    let identity = Identity { uuid: entropy.uuid(), epoch: epoch(&findings) + 1 };
    files::remove_if_there(&incoming).map_err(failed)?;
    let mut connection = schema::open_writer(&incoming)?;
    let objects = write(&mut connection, &mut pages, &findings, &choice, (&identity, revision))
        .and_then(|objects| into_one_file(connection).map(|()| objects))
        .map_err(|error| open_error(&error))?;
    let aside = free_name(directory);
    let damaged = files::swap(&store, &incoming, &aside).map_err(failed)?.unwrap_or(aside);
    Ok(Repaired { identity, revision, objects, losses: choice.losses, damaged })
}

/// Writes the new store; returns how many objects it has.
fn write(
    connection: &mut Connection,
    pages: &mut Pages,
    findings: &Findings,
    choice: &Choice,
    (identity, revision): (&Identity, u64),
) -> Result<usize> {
    let transaction = connection.transaction()?;
    for (id, resource) in &findings.kinds {
        let sql = r#"INSERT INTO kinds (id, "group", resource) VALUES (?1, ?2, ?3)"#;
        transaction.execute(sql, (id, &*resource.group, &*resource.resource))?;
    }
    let mut objects = 0;
    for (page, revs) in &choice.rows {
        for cell in cells(pages, *page) {
            let Some(row) = stored_row(&cell).filter(|row| revs.contains(&row.rev)) else {
                continue;
            };
            row.insert(&transaction)?;
            let sql = "INSERT INTO current (kind_id, ns, name, rev) VALUES (?1, ?2, ?3, ?4)";
            let pointer = (row.kind_id, row.ns, row.name, row.rev);
            transaction.prepare_cached(sql)?.execute(pointer)?;
            objects += 1;
        }
    }
    schema::set_identity(&transaction, identity)?;
    schema::set_meta(&transaction, "last_revision", signed(revision))?;
    schema::set_meta(&transaction, "compacted", signed(revision))?;
    let keys: Vec<_> = findings.keys.iter().copied().collect();
    sealing::set_needed(&transaction, &keys)?;
    digest::record(&transaction, digest::compute(&transaction)?)?;
    transaction.commit()?;
    Ok(objects)
}

/// Folds the log into the file, so that there is one file to move.
fn into_one_file(connection: Connection) -> Result<()> {
    connection.execute_batch("PRAGMA journal_mode = DELETE")?;
    connection.close().map_err(|(_, error)| error)
}

/// What a newer version has written may mean something else there.
fn refuse_newer(findings: &Findings) -> Result<(), OpenError> {
    match findings.meta.get("format") {
        Some(Value::Integer(found)) if *found > i64::from(FORMAT) => {
            let found = u32::try_from(*found).unwrap_or(u32::MAX);
            Err(OpenError::NewerFormat { found, supported: FORMAT })
        }
        _ => Ok(()),
    }
}

fn epoch(findings: &Findings) -> u64 {
    match findings.meta.get("epoch") {
        Some(Value::Integer(epoch)) if *epoch < i64::from(i32::MAX) => unsigned(*epoch),
        _ => 1,
    }
}

/// A name for the damaged file that no earlier repair has used.
fn free_name(directory: &Path) -> PathBuf {
    let names = (2..).map(|count| format!("{DAMAGED}-{count}"));
    let mut paths =
        std::iter::once(DAMAGED.to_owned()).chain(names).map(|name| directory.join(name));
    paths
        .find(|path| fs::symlink_metadata(path).is_err())
        .unwrap_or_else(|| directory.join(DAMAGED))
}
