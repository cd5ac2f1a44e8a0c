//! A sum over what is current: every kind with its number, every object with its revision.
//!
//! Rows have checksums of their own, but a row that nothing points to any more is missed by nobody. The sum is kept with every
//! batch and compared when the store is opened, so that an object can neither vanish nor go back unnoticed.

use emb_meta::GroupResource;
use rusqlite::{Connection, Result};
use xxhash_rust::xxh3::Xxh3;

use super::schema;

const KEY: &str = "digest";

/// What a kind adds to the sum.
pub(super) fn of_kind(id: i64, resource: &GroupResource) -> i64 {
    hash(id, 0, &resource.group, &resource.resource)
}

/// What an object adds to the sum.
pub(super) fn of_object(kind_id: i64, ns: &str, name: &str, rev: i64) -> i64 {
    hash(kind_id, rev, ns, name)
}

/// The recorded sum; `None` before it was recorded for the first time.
pub(super) fn recorded(connection: &Connection) -> Result<Option<i64>> {
    schema::get_meta(connection, KEY)
}

/// Records the sum.
pub(super) fn record(connection: &Connection, digest: i64) -> Result<()> {
    schema::set_meta(connection, KEY, digest)
}

/// The sum over what the file says.
pub(super) fn compute(connection: &Connection) -> Result<i64> {
    let mut digest = of_kinds(connection)?;
    let mut statement = connection.prepare("SELECT kind_id, ns, name, rev FROM current")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (ns, name): (String, String) = (row.get(1)?, row.get(2)?);
        digest = digest.wrapping_add(of_object(row.get(0)?, &ns, &name, row.get(3)?));
    }
    Ok(digest)
}

/// The part of the sum that the kinds make.
pub(super) fn of_kinds(connection: &Connection) -> Result<i64> {
    let kinds = schema::kinds(connection)?;
    Ok(kinds.iter().fold(0, |sum, (id, resource)| sum.wrapping_add(of_kind(*id, resource))))
}

fn hash(first: i64, second: i64, third: &str, fourth: &str) -> i64 {
    let mut hash = Xxh3::new();
    hash.update(&first.to_le_bytes());
    hash.update(&second.to_le_bytes());
    for text in [third, fourth] {
        hash.update(&text.len().to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.digest().cast_signed()
}
