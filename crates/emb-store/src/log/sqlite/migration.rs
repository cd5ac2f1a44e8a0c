//! Bringing a file of an older format up to date: first a copy of it as it was, then all changes at once.

use std::path::Path;

use rusqlite::{Connection, Result};

use super::{
    digest,
    failure::open_error,
    files::with_suffix,
    schema::{self, FORMAT},
    snapshot,
};
use crate::OpenError;

/// What makes format `n + 1` of format `n`, for `n` from 1 on.
const STEPS: [fn(&Connection) -> Result<()>; FORMAT as usize - 1] = [record_digest];

/// Migrates the file if it has an older format than this code writes.
pub(super) fn migrate(connection: &Connection, file: &Path) -> Result<(), OpenError> {
    let found = schema::format(connection).map_err(|error| open_error(&error))?;
    let done = found.saturating_sub(1) as usize;
    let Some(steps) = STEPS.get(done..).filter(|steps| !steps.is_empty()) else { return Ok(()) };
    // A copy of a broken file would tell less about what is wrong.
    schema::check_structure(connection, "quick_check")?;
    let copy = with_suffix(file, &format!(".format-{found}"));
    snapshot::write(file, &copy).map_err(|error| OpenError::Io(error.to_string()))?;
    tracing::info!(from = found, to = FORMAT, copy = %copy.display(), "the store is brought to a newer format; a copy is kept");
    apply(connection, steps).map_err(|error| open_error(&error))
}

fn apply(connection: &Connection, steps: &[fn(&Connection) -> Result<()>]) -> Result<()> {
    let transaction = connection.unchecked_transaction()?;
    for step in steps {
        step(&transaction)?;
    }
    schema::set_meta(&transaction, "format", FORMAT)?;
    transaction.commit()
}

/// Format 2 knows the sum over what is current.
fn record_digest(connection: &Connection) -> Result<()> {
    let digest = digest::compute(connection)?;
    digest::record(connection, digest)
}
