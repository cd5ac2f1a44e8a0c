//! Forgetting history in steps so small that no batch waits long for one.

use rusqlite::{Connection, Result};

use super::schema::{self, signed, unsigned};

/// Changes that one step looks at.
const CHANGES_PER_STEP: usize = 200;
/// A step that forgets this many bytes leaves the rest to the next: all pages of a large body are touched.
const BYTES_PER_STEP: i64 = 2 * 1024 * 1024;
/// Pages that one step gives back to the file system.
const PAGES_PER_STEP: i64 = 64;

/// A compaction under way. Where it stands is recorded in the file with every step.
pub(super) struct Compaction {
    upto: u64,
}

impl Compaction {
    pub(super) fn new(upto: u64) -> Self {
        Self { upto }
    }

    /// Does a little; returns whether there is more to do.
    pub(super) fn step(&mut self, connection: &mut Connection) -> Result<bool> {
        let from = schema::compacted(connection)?;
        if from < self.upto {
            forget(connection, from, self.upto)?;
            return Ok(true);
        }
        give_back_pages(connection)
    }
}

/// Removes what the next changes after `from` replaced or ended. The states that they made stay.
fn forget(connection: &mut Connection, from: u64, upto: u64) -> Result<()> {
    let transaction = connection.transaction()?;
    let to = last_of_step(&transaction, from, upto)?;
    let range = (signed(from), signed(to));
    transaction
        .prepare_cached(
            "DELETE FROM log WHERE rev IN (SELECT prev_rev FROM log WHERE rev > ?1 AND rev <= ?2 AND prev_rev > 0)",
        )?
        .execute(range)?;
    transaction
        .prepare_cached("DELETE FROM log WHERE rev > ?1 AND rev <= ?2 AND op = 2")?
        .execute(range)?;
    schema::set_meta(&transaction, "compacted", signed(to))?;
    transaction.commit()
}

/// The last change that the step looks at.
fn last_of_step(connection: &Connection, from: u64, upto: u64) -> Result<u64> {
    let sql =
        "SELECT l.rev, coalesce(length(p.body), 0) FROM log l LEFT JOIN log p ON p.rev = l.prev_rev
               WHERE l.rev > ?1 AND l.rev <= ?2 ORDER BY l.rev";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query((signed(from), signed(upto)))?;
    let (mut changes, mut bytes) = (0, 0);
    while let Some(row) = rows.next()? {
        changes += 1;
        bytes += row.get::<_, i64>(1)?;
        if changes == CHANGES_PER_STEP || bytes >= BYTES_PER_STEP {
            return row.get(0).map(unsigned);
        }
    }
    Ok(upto)
}

fn give_back_pages(connection: &Connection) -> Result<bool> {
    let free: i64 = connection.query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
    if free == 0 {
        return Ok(false);
    }
    // One row per page: the pragma works only as far as its rows are read.
    let mut statement =
        connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES_PER_STEP})"))?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(free > PAGES_PER_STEP)
}
