//! One row of the log: how a change is written, checked and read.

use std::collections::BTreeMap;

use bytes::Bytes;
use core_clock::Time;
use emb_meta::GroupResource;
use rusqlite::{Connection, Result, types::ValueRef};
use xxhash_rust::xxh3::Xxh3;

use super::{
    schema::{signed, unsigned},
    sealing::{Keyring, Place, key_of},
};
use crate::{Change, Event, Key, Record};

/// The columns of a row, in the order in which [`StoredRow::read`] wants them.
pub(super) const COLUMNS: [&str; 10] =
    ["rev", "kind_id", "ns", "name", "op", "uid", "prev_rev", "written_at", "checksum", "body"];

/// The columns of table `alias`, for a SELECT.
pub(super) fn columns(alias: &str) -> String {
    COLUMNS.map(|column| format!("{alias}.{column}")).join(", ")
}

/// A row as it stands in the file.
#[derive(Clone, Copy)]
pub(super) struct StoredRow<'a> {
    pub(super) rev: i64,
    pub(super) kind_id: i64,
    pub(super) ns: &'a str,
    pub(super) name: &'a str,
    pub(super) op: i64,
    pub(super) uid: &'a str,
    pub(super) prev_rev: i64,
    pub(super) written_at: i64,
    /// Canonical JSON or its sealed form; empty for a delete.
    pub(super) body: &'a [u8],
}

/// What becomes of the bodies of rows that are read.
#[derive(Clone, Copy)]
pub(super) enum Bodies<'a> {
    /// Sealed ones are opened with these keys, if there are any.
    Opened(Option<&'a Keyring>),
    /// They stay as they are, for whoever wants to know whether the file is sound.
    AsStored,
}

impl<'a> StoredRow<'a> {
    /// The row of an event, with the body in the form in which it is stored.
    pub(super) fn of_event(event: &'a Event, kind_id: i64, body: &'a [u8]) -> Self {
        let entry = &event.entry;
        Self {
            rev: signed(event.revision),
            kind_id,
            ns: &event.key.namespace,
            name: &event.key.name,
            op: number_of(event.change),
            uid: &entry.uid,
            prev_rev: event.previous.as_ref().map_or(0, |previous| signed(previous.revision)),
            written_at: entry.written_at.as_micros(),
            body,
        }
    }

    /// Reads the ten columns from `first` on. `None` when the row is damaged.
    pub(super) fn read(row: &'a rusqlite::Row<'_>, first: usize) -> Option<Self> {
        let integer = |at: usize| row.get_ref(first + at).ok()?.as_i64().ok();
        let text = |at: usize| row.get_ref(first + at).ok()?.as_str().ok();
        let ValueRef::Blob(body) = row.get_ref(first + 9).ok()? else { return None };
        let stored = Self {
            rev: integer(0)?,
            kind_id: integer(1)?,
            ns: text(2)?,
            name: text(3)?,
            op: integer(4)?,
            uid: text(5)?,
            prev_rev: integer(6)?,
            written_at: integer(7)?,
            body,
        };
        stored.verified(integer(8)?)
    }

    /// The row if it is the one that `checksum` was made for.
    pub(super) fn verified(self, checksum: i64) -> Option<Self> {
        (self.checksum() == checksum).then_some(self)
    }

    pub(super) fn is_delete(&self) -> bool {
        change_of(self.op) == Some(Change::Deleted)
    }

    /// What the body belongs to.
    pub(super) fn place(&self, resource: &'a GroupResource) -> Place<'a> {
        Place { resource, namespace: self.ns, name: self.name, rev: self.rev }
    }

    pub(super) fn insert(&self, connection: &Connection) -> Result<()> {
        let sql = "INSERT INTO log (rev, kind_id, ns, name, op, uid, prev_rev, written_at, checksum, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let mut statement = connection.prepare_cached(sql)?;
        statement.execute((
            self.rev,
            self.kind_id,
            self.ns,
            self.name,
            self.op,
            self.uid,
            self.prev_rev,
            self.written_at,
            self.checksum(),
            self.body,
        ))?;
        Ok(())
    }

    /// Writes the row, and makes it what is current of its object.
    pub(super) fn put(&self, connection: &Connection) -> Result<()> {
        self.insert(connection)?;
        if self.is_delete() {
            let sql = "DELETE FROM current WHERE kind_id = ?1 AND ns = ?2 AND name = ?3";
            connection.prepare_cached(sql)?.execute((self.kind_id, self.ns, self.name))?;
        } else {
            let sql =
                "INSERT OR REPLACE INTO current (kind_id, ns, name, rev) VALUES (?1, ?2, ?3, ?4)";
            let place = (self.kind_id, self.ns, self.name, self.rev);
            connection.prepare_cached(sql)?.execute(place)?;
        }
        Ok(())
    }

    /// Writes another form of the body over the one that is there.
    pub(super) fn replace_body(&self, connection: &Connection) -> Result<()> {
        let sql = "UPDATE log SET body = ?2, checksum = ?3 WHERE rev = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        statement.execute((self.rev, self.body, self.checksum())).map(drop)
    }

    /// The row as a record; `None` when it names a kind or a change that does not exist, or its body does not open.
    pub(super) fn record(
        &self,
        kinds: &'a BTreeMap<i64, GroupResource>,
        bodies: Bodies<'_>,
    ) -> Option<Record> {
        let resource = kinds.get(&self.kind_id)?;
        let body = match bodies {
            Bodies::Opened(keyring) if key_of(self.body).is_some() => {
                Bytes::from(keyring?.open(self.place(resource), self.body)?)
            }
            Bodies::Opened(_) | Bodies::AsStored => Bytes::copy_from_slice(self.body),
        };
        Some(Record {
            revision: unsigned(self.rev),
            key: Key::new(resource, self.ns, self.name),
            change: change_of(self.op)?,
            previous: unsigned(self.prev_rev),
            written_at: Time::from_micros(self.written_at),
            body,
        })
    }

    fn checksum(&self) -> i64 {
        let mut hash = Xxh3::new();
        for number in [self.rev, self.kind_id, self.op, self.prev_rev, self.written_at] {
            hash.update(&number.to_le_bytes());
        }
        for part in [self.ns.as_bytes(), self.name.as_bytes(), self.uid.as_bytes(), self.body] {
            hash.update(&part.len().to_le_bytes());
            hash.update(part);
        }
        hash.digest().cast_signed()
    }
}

fn number_of(change: Change) -> i64 {
    match change {
        Change::Created => 0,
        Change::Updated => 1,
        Change::Deleted => 2,
    }
}

fn change_of(number: i64) -> Option<Change> {
    match number {
        0 => Some(Change::Created),
        1 => Some(Change::Updated),
        2 => Some(Change::Deleted),
        _ => None,
    }
}
