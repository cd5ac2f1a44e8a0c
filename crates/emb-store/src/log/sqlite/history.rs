//! Reading the past, on a connection of its own that the writer does not wait for.

use std::collections::BTreeMap;

use core_clock::Time;
use emb_meta::GroupResource;
use rusqlite::{Connection, OptionalExtension, Result, Row};

use super::{
    failure::log_error,
    row::{Bodies, COLUMNS, StoredRow, columns},
    schema::{self, signed, unsigned},
};
use crate::{LogError, Past, Record};

type Kinds = BTreeMap<i64, GroupResource>;

/// Changes with `after < revision ≤ upto`; fails when one of them is damaged.
pub(super) fn read(
    connection: &Connection,
    resource: Option<&GroupResource>,
    (after, upto): (u64, u64),
    limit: usize,
    bodies: Bodies<'_>,
) -> Result<Vec<Past>, LogError> {
    let failed = |error: rusqlite::Error| log_error(&error);
    let kinds = schema::kinds(connection).map_err(failed)?;
    let kind_id = match resource {
        None => None,
        Some(resource) => match kinds.iter().find(|(_, known)| *known == resource) {
            Some((id, _)) => Some(*id),
            None => return Ok(Vec::new()),
        },
    };
    let mut statement = connection.prepare_cached(&select(kind_id.is_some())).map_err(failed)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let range = (signed(after), signed(upto), limit, kind_id.unwrap_or(0));
    let mut rows = statement.query(range).map_err(failed)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let damaged = || LogError::Io("a row of the history is damaged".to_owned());
        found.push(past(row, &kinds, bodies).ok_or_else(damaged)?);
    }
    Ok(found)
}

fn select(one_kind: bool) -> String {
    // ?4 is always bound; with a kind the range is read from the index on it.
    let kind = if one_kind { "l.kind_id = ?4" } else { "?4 = 0" };
    format!(
        "SELECT {}, {} FROM log l LEFT JOIN log p ON p.rev = l.prev_rev
         WHERE {kind} AND l.rev > ?1 AND l.rev <= ?2 ORDER BY l.rev LIMIT ?3",
        columns("l"),
        columns("p")
    )
}

fn past(row: &Row<'_>, kinds: &Kinds, bodies: Bodies<'_>) -> Option<Past> {
    let record = StoredRow::read(row, 0)?.record(kinds, bodies)?;
    let previous = if record.previous == 0 { None } else { Some(previous(row, kinds, bodies)?) };
    Some(Past { record, previous })
}

fn previous(row: &Row<'_>, kinds: &Kinds, bodies: Bodies<'_>) -> Option<Record> {
    StoredRow::read(row, COLUMNS.len())?.record(kinds, bodies)
}

/// The last revision written at `time` or before. Times grow with revisions, so a binary search over them needs no index.
pub(super) fn boundary(connection: &Connection, time: Time) -> Result<u64> {
    let mut statement = connection
        .prepare_cached("SELECT rev, written_at FROM log WHERE rev >= ?1 ORDER BY rev LIMIT 1")?;
    let mut low = schema::compacted(connection)? + 1;
    let mut high = schema::last_revision(connection)? + 1;
    while low < high {
        let middle = low + (high - low) / 2;
        let found = statement.query_row([signed(middle)], |row| Ok((row.get(0)?, row.get(1)?)));
        match found.optional()? {
            Some((rev, written_at)) if Time::from_micros(written_at) <= time => {
                low = unsigned(rev) + 1;
            }
            _ => high = middle,
        }
    }
    Ok(low - 1)
}
