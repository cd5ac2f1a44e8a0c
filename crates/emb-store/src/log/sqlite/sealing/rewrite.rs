//! Sealing what is there already, when a store gets its first key or another one: in steps between batches, so that nobody
//! waits. A process that ends meanwhile leaves the rest to the next one.

use emb_meta::GroupResource;
use rusqlite::{Connection, Result};

use super::{KeyId, Keyring, clear_complete, key_of, keyring::prefix, scrub, set_complete};
use crate::log::sqlite::{
    row::{StoredRow, columns},
    schema,
};

/// Rows that one step looks at.
const ROWS_PER_STEP: i64 = 32;
/// A step that has rewritten this many bytes leaves the rest to the next.
const BYTES_PER_STEP: usize = 1024 * 1024;

/// A rewriting under way.
pub(in crate::log::sqlite) struct Rewrite {
    kinds: Vec<(i64, GroupResource)>,
    /// Rows of the last kind up to here are done.
    cursor: i64,
    /// How many rows there were to rewrite at the start.
    total: usize,
}

impl Rewrite {
    /// Finds out what is to be done; when that is nothing, it is recorded as done.
    pub(super) fn begin(connection: &Connection, keyring: &Keyring) -> Result<Option<Self>> {
        let kinds = schema::kinds(connection)?;
        let kinds: Vec<_> =
            kinds.into_iter().filter(|(_, resource)| keyring.seals(resource)).collect();
        let mut total = 0;
        for (kind, _) in &kinds {
            total += count(connection, *kind, keyring.first())?;
        }
        if total == 0 {
            return set_complete(connection, keyring.first()).map(|()| None);
        }
        // What is replaced must not stay readable in the unused parts of the file.
        connection.execute_batch("PRAGMA secure_delete = ON")?;
        clear_complete(connection)?;
        scrub::mark_due(connection)?;
        forget_quarantined(connection, &kinds)?;
        Ok(Some(Self { kinds, cursor: 0, total }))
    }

    /// How many rows there were to rewrite at the start.
    pub(in crate::log::sqlite) fn total(&self) -> usize {
        self.total
    }

    /// Does a little; returns whether there is more to do.
    pub(in crate::log::sqlite) fn step(
        &mut self,
        connection: &Connection,
        keyring: &Keyring,
    ) -> Result<bool> {
        let Some((kind, resource)) = self.kinds.last() else {
            set_complete(connection, keyring.first())?;
            connection.execute_batch("PRAGMA secure_delete = OFF")?;
            tracing::info!(rows = self.total, key = %keyring.first(), "everything is sealed with the first key");
            return Ok(false);
        };
        let transaction = connection.unchecked_transaction()?;
        let reached = rewrite(&transaction, (*kind, resource), self.cursor, keyring)?;
        transaction.commit()?;
        if let Some(rev) = reached {
            self.cursor = rev;
        } else {
            self.cursor = 0;
            self.kinds.pop();
        }
        Ok(true)
    }
}

fn count(connection: &Connection, kind: i64, key: KeyId) -> Result<usize> {
    let sql = "SELECT count(*) FROM log WHERE kind_id = ?1 AND length(body) > 0 AND substr(body, 1, ?3) <> ?2";
    let prefix = prefix(key);
    let length = i64::try_from(prefix.len()).unwrap_or(0);
    let mut statement = connection.prepare(sql)?;
    let rows: i64 = statement.query_row((kind, &prefix, length), |row| row.get(0))?;
    Ok(usize::try_from(rows).unwrap_or(usize::MAX))
}

/// Rewrites the next rows of a kind above `after`; returns the last one, or `None` when there are no more.
fn rewrite(
    connection: &Connection,
    (kind, resource): (i64, &GroupResource),
    after: i64,
    keyring: &Keyring,
) -> Result<Option<i64>> {
    let sql = format!(
        "SELECT {} FROM log l WHERE l.kind_id = ?1 AND l.rev > ?2 ORDER BY l.rev LIMIT {ROWS_PER_STEP}",
        columns("l")
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query((kind, after))?;
    let (mut reached, mut bytes) = (None, 0);
    while let Some(row) = rows.next()?
        && bytes < BYTES_PER_STEP
    {
        let rev: i64 = row.get(0)?;
        reached = Some(rev);
        match StoredRow::read(row, 0) {
            Some(stored) => bytes += reseal(connection, &stored, resource, keyring)?,
            // Nobody can read it as it is; what it shows must go all the same.
            None => blank(connection, rev)?,
        }
    }
    Ok(reached)
}

/// Seals a row with the first key unless it is; returns the bytes written.
fn reseal(
    connection: &Connection,
    stored: &StoredRow<'_>,
    resource: &GroupResource,
    keyring: &Keyring,
) -> Result<usize> {
    let key = key_of(stored.body);
    if stored.body.is_empty() || key == Some(keyring.first()) {
        return Ok(0);
    }
    let place = stored.place(resource);
    let opened = match key {
        None => Some(stored.body.to_vec()),
        Some(_) => keyring.open(place, stored.body),
    };
    let Some(sealed) = opened.and_then(|body| keyring.seal(place, &body)) else {
        tracing::error!(%resource, stored.ns, stored.name, "a body does not open and stays as it is");
        return Ok(0);
    };
    StoredRow { body: &sealed, ..*stored }.replace_body(connection)?;
    Ok(sealed.len())
}

fn blank(connection: &Connection, rev: i64) -> Result<()> {
    connection.execute("UPDATE log SET body = x'' WHERE rev = ?1", [rev]).map(drop)
}

/// Damaged rows that were set aside are kept for people to look at; not in clear text.
fn forget_quarantined(connection: &Connection, kinds: &[(i64, GroupResource)]) -> Result<()> {
    let sql = "UPDATE quarantine SET body = NULL WHERE kind_id = ?1";
    for (kind, _) in kinds {
        connection.execute(sql, [kind])?;
    }
    Ok(())
}
