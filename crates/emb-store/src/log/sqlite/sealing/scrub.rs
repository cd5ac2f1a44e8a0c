//! The end of a rewriting. Pages of a database keep traces of what was in them; a file that was written before its bodies
//! were sealed is therefore written once anew, when the store is opened the next time and nobody waits for it yet.

use std::path::Path;

use rusqlite::{Connection, Result};

use super::COMPLETE;
use crate::{
    OpenError,
    log::sqlite::{failure::open_error, put_in_place, remove_if_there, schema, with_suffix},
};

const DUE: &str = "scrub";

/// Records that the file holds traces of bodies in another form.
pub(super) fn mark_due(connection: &Connection) -> Result<()> {
    schema::set_meta(connection, DUE, true)
}

/// Writes the file anew if a rewriting has ended since it was last done; gives back a connection to the file.
pub(in crate::log::sqlite) fn scrub_if_due(
    connection: Connection,
    file: &Path,
) -> Result<Connection, OpenError> {
    let is_ready = is_ready(&connection).map_err(|error| open_error(&error))?;
    if !is_ready {
        return Ok(connection);
    }
    tracing::info!("the store is written anew, so that nothing stays readable that was sealed");
    let io = |error: std::io::Error| OpenError::Io(format!("{}: {error}", file.display()));
    let clean = with_suffix(file, ".scrubbed");
    remove_if_there(&clean).map_err(io)?;
    schema::create_private(&clean)?;
    write_anew(connection, &clean).map_err(|error| open_error(&error))?;
    for side in ["-wal", "-shm"] {
        // They are empty: everything was folded in, and nobody has written since.
        remove_if_there(&with_suffix(file, side)).map_err(io)?;
    }
    put_in_place(&clean, file).map_err(io)?;
    schema::open_writer(file)
}

/// Whether it is due, and all of the store is in the one file. While a backup reads, it is not; then it waits.
fn is_ready(connection: &Connection) -> Result<bool> {
    let due: Option<bool> = schema::get_meta(connection, DUE)?;
    let complete: Option<String> = schema::get_meta(connection, COMPLETE)?;
    if due != Some(true) || complete.is_none() {
        return Ok(false);
    }
    connection.query_row(
        "PRAGMA wal_checkpoint(TRUNCATE)",
        [],
        |row| Ok(row.get::<_, i64>(0)? == 0),
    )
}

fn write_anew(connection: Connection, clean: &Path) -> Result<()> {
    connection.execute("VACUUM INTO ?1", [clean.to_string_lossy()])?;
    connection.close().map_err(|(_, error)| error)?;
    let clean = Connection::open(clean)?;
    clean.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")?;
    clean.execute("DELETE FROM meta WHERE key = ?1", [DUE])?;
    clean.close().map_err(|(_, error)| error)
}
