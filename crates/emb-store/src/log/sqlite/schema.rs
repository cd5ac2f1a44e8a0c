//! The file: its tables, its settings, and what it says about itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::OpenOptions,
    path::Path,
    time::Duration,
};

use emb_meta::GroupResource;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Result, types::FromSql};

use super::{
    digest,
    failure::open_error,
    files,
    header::{self, Owner},
};
use crate::{Identity, OpenError};

/// The newest layout that this code reads and writes.
pub(super) const FORMAT: u32 = 2;
/// The size of a page. Known without the file, whose beginning may be what is damaged.
pub(super) const PAGE_SIZE: usize = PAGE_BYTES as usize;
pub(super) const PAGE_BYTES: u32 = 8192;
/// Marks the file as ours: "kars" in ASCII.
pub(super) const APPLICATION_ID: u32 = 0x6b61_7273;
/// Unused pages are given back when we say so, a few at a time.
const INCREMENTAL: i64 = 2;
/// The most pages that a file has before it has tables.
const FIRST_PAGES: i64 = 2;
/// Far more revisions than any store gets to; a larger number on the disk was never written.
const MAX_REVISION: u64 = 1 << 62;

// `log` holds each body once; `current` says which rows are the present state. The index holds the row id too, so that it
// serves ranges of revisions of one kind.
const TABLES: &str = r#"
CREATE TABLE kinds (id INTEGER PRIMARY KEY, "group" TEXT NOT NULL, resource TEXT NOT NULL, UNIQUE ("group", resource));
CREATE TABLE log (
    rev INTEGER PRIMARY KEY, kind_id INTEGER NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL, op INTEGER NOT NULL,
    uid TEXT NOT NULL, prev_rev INTEGER NOT NULL, written_at INTEGER NOT NULL, checksum INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE INDEX log_by_kind ON log (kind_id);
CREATE TABLE current (
    kind_id INTEGER NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL, rev INTEGER NOT NULL, PRIMARY KEY (kind_id, ns, name)
) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE quarantine (rev INTEGER, kind_id INTEGER, ns TEXT, name TEXT, op, uid, prev_rev, written_at, checksum, body, reason TEXT);
"#;

/// Opens the file for writing, as a new store when it is empty. What belongs to others is not touched.
pub(super) fn open_writer(file: &Path) -> Result<Connection, OpenError> {
    let owner = header::owner(file).map_err(|error| files::open_error(file, &error))?;
    if owner == Owner::Another {
        return Err(OpenError::Foreign { file: file.to_owned() });
    }
    create_private(file)?;
    let connection = Connection::open_with_flags(
        file,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    );
    let connection = connection.map_err(|error| open_error(&error))?;
    prepare_writer(&connection).map_err(|error| open_error(&error))?;
    check_format(&connection)?;
    check_layout(&connection)?;
    Ok(connection)
}

/// Opens the file for reading beside the writer.
pub(super) fn open_reader(file: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    Ok(connection)
}

/// The objects hold Secrets: nobody else may read the file. SQLite gives its side files the same mode.
pub(super) fn create_private(file: &Path) -> Result<(), OpenError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let created = options.open(file);
    created.map(drop).map_err(|error| OpenError::Io(format!("{}: {error}", file.display())))
}

fn prepare_writer(connection: &Connection) -> Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    let pages: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
    if pages == 0 {
        connection.execute_batch(&format!(
            "PRAGMA page_size = {PAGE_SIZE}; PRAGMA auto_vacuum = {INCREMENTAL}"
        ))?;
    }
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;
         PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY;
         PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON",
    )?;
    if pages <= FIRST_PAGES && has_no_tables(connection)? {
        create_tables(connection)?;
    }
    Ok(())
}

/// Whether it is a store that was never finished: a process can die between the first page and the tables.
fn has_no_tables(connection: &Connection) -> Result<bool> {
    let tables = "SELECT count(*) FROM sqlite_schema";
    connection.query_row(tables, [], |row| row.get::<_, i64>(0)).map(|count| count == 0)
}

fn create_tables(connection: &Connection) -> Result<()> {
    let transaction = connection.unchecked_transaction()?;
    transaction.execute_batch(TABLES)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    set_meta(&transaction, "format", FORMAT)?;
    set_meta(&transaction, "clean", true)?;
    digest::record(&transaction, 0)?;
    transaction.commit()
}

/// Whether the file is a store that this code can read.
pub(super) fn check_format(connection: &Connection) -> Result<(), OpenError> {
    let id = connection.query_row("PRAGMA application_id", [], |row| row.get::<_, u32>(0));
    if id.map_err(|error| open_error(&error))? != APPLICATION_ID {
        return Err(OpenError::Damaged("the file belongs to another program".to_owned()));
    }
    match format(connection).map_err(|error| open_error(&error))? {
        0 => Err(OpenError::Damaged("the format is not recorded".to_owned())),
        found if found > FORMAT => Err(OpenError::NewerFormat { found, supported: FORMAT }),
        _ => Ok(()),
    }
}

/// The format of the file; 0 when it is not recorded.
pub(super) fn format(connection: &Connection) -> Result<u32> {
    Ok(get_meta(connection, "format")?.unwrap_or(0))
}

/// Whether the file is laid out as this code lays it out. A changed byte here would change the meaning of all others.
fn check_layout(connection: &Connection) -> Result<(), OpenError> {
    let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0));
    let is_sound = || -> Result<bool> {
        let mut statement =
            connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
        // A copy may have them in another order.
        let found: Result<BTreeSet<String>> = statement.query_map([], |row| row.get(0))?.collect();
        let expected = TABLES.split(';').map(str::trim).filter(|sql| !sql.is_empty());
        let expected: BTreeSet<String> = expected.map(str::to_owned).collect();
        Ok(number("PRAGMA page_size")? == i64::from(PAGE_BYTES)
            && number("PRAGMA auto_vacuum")? == INCREMENTAL
            && found? == expected)
    };
    match is_sound() {
        Ok(true) => Ok(()),
        Ok(false) => Err(OpenError::Damaged("the tables are not those of a store".to_owned())),
        Err(error) => Err(open_error(&error)),
    }
}

/// Checks the structure of the file: `quick_check` or `integrity_check`.
pub(super) fn check_structure(connection: &Connection, pragma: &str) -> Result<(), OpenError> {
    let sql = format!("PRAGMA {pragma}(1)");
    let verdict: Result<String> = connection.query_row(&sql, [], |row| row.get(0));
    match verdict {
        Ok(verdict) if verdict == "ok" => Ok(()),
        Ok(problem) => Err(OpenError::Damaged(problem)),
        Err(error) => Err(open_error(&error)),
    }
}

pub(super) fn get_meta<T: FromSql>(connection: &Connection, key: &str) -> Result<Option<T>> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    statement.query_row([key], |row| row.get(0)).optional()
}

pub(super) fn set_meta(
    connection: &Connection,
    key: &str,
    value: impl rusqlite::ToSql,
) -> Result<()> {
    let sql = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    connection.prepare_cached(sql)?.execute((key, value)).map(drop)
}

pub(super) fn identity(connection: &Connection) -> Result<Option<Identity>> {
    let uuid = get_meta(connection, "uuid")?;
    let epoch: i64 = get_meta(connection, "epoch")?.unwrap_or(1);
    Ok(uuid.map(|uuid| Identity { uuid, epoch: unsigned(epoch) }))
}

pub(super) fn set_identity(connection: &Connection, identity: &Identity) -> Result<()> {
    set_meta(connection, "uuid", &identity.uuid)?;
    set_meta(connection, "epoch", signed(identity.epoch))
}

pub(super) fn compacted(connection: &Connection) -> Result<u64> {
    Ok(unsigned(get_meta(connection, "compacted")?.unwrap_or(0)))
}

/// The last revision that was ever given out. The newest rows may be deletes that compaction has removed.
pub(super) fn last_revision(connection: &Connection) -> Result<u64> {
    let newest: Option<i64> =
        connection.query_row("SELECT max(rev) FROM log", [], |row| row.get(0))?;
    let recorded: i64 = get_meta(connection, "last_revision")?.unwrap_or(0);
    Ok(unsigned(newest.unwrap_or(0).max(recorded)).max(compacted(connection)?))
}

/// The highest revision that the list of current objects has, also where its row is gone.
pub(super) fn last_listed(connection: &Connection) -> Result<u64> {
    let newest: Option<i64> =
        connection.query_row("SELECT max(rev) FROM current", [], |row| row.get(0))?;
    Ok(unsigned(newest.unwrap_or(0)))
}

/// Whether a revision can have been given out.
pub(super) fn is_plausible(revision: u64) -> bool {
    revision <= MAX_REVISION
}

/// The resources by their number in this file.
pub(super) fn kinds(connection: &Connection) -> Result<BTreeMap<i64, GroupResource>> {
    let mut statement = connection.prepare_cached(r#"SELECT id, "group", resource FROM kinds"#)?;
    let kinds = statement.query_map([], |row| {
        let (group, resource): (String, String) = (row.get(1)?, row.get(2)?);
        Ok((row.get(0)?, GroupResource::new(group, resource)))
    })?;
    kinds.collect()
}

/// Revisions stay below 2⁶³, which is all that SQLite can hold.
pub(super) fn signed(revision: u64) -> i64 {
    i64::try_from(revision).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}
