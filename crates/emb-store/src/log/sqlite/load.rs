//! Reading everything current when the store is opened; rows that are damaged are set aside.

use std::collections::BTreeMap;

use emb_meta::GroupResource;
use rusqlite::{Connection, Result, Row};

use super::{
    digest,
    failure::open_error,
    row::{Bodies, COLUMNS, StoredRow, columns},
    schema::{self, signed, unsigned},
};
use crate::{Identity, Key, Loaded, OpenError, Quarantined, Record};

pub(super) type Accept<'a> = &'a mut dyn FnMut(Record) -> Result<(), String>;

/// Hands the current objects to `accept` and says what kind of log this is.
pub(super) fn load(
    connection: &Connection,
    fresh: Identity,
    unclean: bool,
    bodies: Bodies<'_>,
    accept: Accept<'_>,
) -> Result<Loaded, OpenError> {
    let quarantined = read_current(connection, bodies, accept)?;
    settle(connection, fresh, unclean, quarantined).map_err(|error| open_error(&error))
}

/// Sets the damaged objects aside, and takes the store into use.
fn settle(
    connection: &Connection,
    fresh: Identity,
    unclean: bool,
    quarantined: Vec<Quarantined>,
) -> Result<Loaded> {
    let transaction = connection.unchecked_transaction()?;
    let mut last_revision = schema::last_revision(&transaction)?;
    if let Some(lost) = quarantined.iter().map(|row| row.revision).max() {
        for row in &quarantined {
            quarantine(&transaction, row)?;
        }
        digest::record(&transaction, digest::compute(&transaction)?)?;
        // Whoever knew a lost object must read everything anew to learn that it is gone: history starts above all of it.
        last_revision = last_revision.max(lost) + 1;
        schema::set_meta(&transaction, "last_revision", signed(last_revision))?;
        schema::set_meta(&transaction, "compacted", signed(last_revision))?;
    }
    let identity = if let Some(identity) = schema::identity(&transaction)? {
        identity
    } else {
        schema::set_identity(&transaction, &fresh)?;
        fresh
    };
    schema::set_meta(&transaction, "clean", false)?;
    let compacted = schema::compacted(&transaction)?;
    transaction.commit()?;
    Ok(Loaded { identity, last_revision, compacted, quarantined, unclean })
}

/// Reads the current objects; returns the damaged ones. Fails when objects are missing without a trace.
pub(super) fn read_current(
    connection: &Connection,
    bodies: Bodies<'_>,
    accept: Accept<'_>,
) -> Result<Vec<Quarantined>, OpenError> {
    let failed = |error: rusqlite::Error| open_error(&error);
    if !schema::is_plausible(schema::last_revision(connection).map_err(failed)?) {
        return Err(OpenError::Damaged("the recorded revision was never given out".to_owned()));
    }
    let (quarantined, found) = read_objects(connection, bodies, accept).map_err(failed)?;
    match digest::recorded(connection).map_err(failed)? {
        Some(recorded) if recorded != found => {
            let text = "the list of current objects is not the one that was written";
            Err(OpenError::Damaged(text.to_owned()))
        }
        _ => Ok(quarantined),
    }
}

/// The damaged objects, and the sum over all.
fn read_objects(
    connection: &Connection,
    bodies: Bodies<'_>,
    accept: Accept<'_>,
) -> Result<(Vec<Quarantined>, i64)> {
    let kinds = schema::kinds(connection)?;
    let mut quarantined = Vec::new();
    let mut found = digest::of_kinds(connection)?;
    let sql = format!(
        "SELECT {}, c.kind_id, c.ns, c.name, c.rev FROM current c LEFT JOIN log l ON l.rev = c.rev",
        columns("l")
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let pointer = Pointer::read(row)?;
        found = found.wrapping_add(pointer.digest());
        let accepted = match record(row, &pointer, &kinds, bodies) {
            Some(record) => accept(record),
            None => {
                Err("the row is missing, does not match its checksum or does not open".to_owned())
            }
        };
        if let Err(reason) = accepted {
            let key = pointer.key(&kinds);
            tracing::error!(%key, revision = pointer.rev, %reason, "a damaged object is set aside");
            quarantined.push(Quarantined { revision: unsigned(pointer.rev), key, reason });
        }
    }
    Ok((quarantined, found))
}

fn record(
    row: &Row<'_>,
    at: &Pointer,
    kinds: &BTreeMap<i64, GroupResource>,
    bodies: Bodies<'_>,
) -> Option<Record> {
    let stored = StoredRow::read(row, 0)?;
    let matches = (stored.kind_id, stored.ns, stored.name) == (at.kind_id, &*at.ns, &*at.name);
    if matches && !stored.is_delete() { stored.record(kinds, bodies) } else { None }
}

/// An entry of `current`.
struct Pointer {
    kind_id: i64,
    ns: String,
    name: String,
    rev: i64,
}

impl Pointer {
    fn read(row: &Row<'_>) -> Result<Self> {
        let first = COLUMNS.len();
        Ok(Self {
            kind_id: row.get(first)?,
            ns: row.get(first + 1)?,
            name: row.get(first + 2)?,
            rev: row.get(first + 3)?,
        })
    }

    fn digest(&self) -> i64 {
        digest::of_object(self.kind_id, &self.ns, &self.name, self.rev)
    }

    fn key(&self, kinds: &BTreeMap<i64, GroupResource>) -> Key {
        let unknown = || GroupResource::new("", format!("kind {}", self.kind_id));
        let resource = kinds.get(&self.kind_id).cloned().unwrap_or_else(unknown);
        Key::new(&resource, self.ns.as_str(), self.name.as_str())
    }
}

fn quarantine(connection: &Connection, row: &Quarantined) -> Result<()> {
    let rev = signed(row.revision);
    let names = COLUMNS.join(", ");
    connection.execute(
        &format!(
            "INSERT INTO quarantine ({names}, reason) SELECT {names}, ?2 FROM log WHERE rev = ?1"
        ),
        (rev, &row.reason),
    )?;
    connection.execute("DELETE FROM log WHERE rev = ?1", [rev])?;
    connection.execute("DELETE FROM current WHERE rev = ?1", [rev])?;
    Ok(())
}
