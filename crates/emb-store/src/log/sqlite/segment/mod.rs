//! Segments: what was written after a snapshot, in pieces that are kept elsewhere and put on top of the snapshot later.
//!
//! A segment holds the rows of the log above one revision and up to another as they stand in the file: sealed bodies stay
//! sealed. It says which store it is of and where it begins, so that it goes onto nothing but what it continues.

mod apply;
mod form;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use bytes::Bytes;
use rusqlite::Connection;
use thiserror::Error;

use self::form::{Encoder, Header};
use super::{
    DATABASE,
    failure::open_error,
    row::{StoredRow, columns},
    schema::{self, signed, unsigned},
    sealing::Needs,
};
use crate::{Identity, OpenError};

pub use apply::apply_segment;

/// Where a row has its checksum.
const CHECKSUM: usize = 8;

/// The revisions that a segment covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The one after the last revision that it builds on.
    pub first: u64,
    /// That of its last change.
    pub last: u64,
}

/// Changes in the order in which they were made.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Which ones.
    pub span: Span,
    /// All of it, for [`apply_segment`].
    pub bytes: Bytes,
}

/// How large a segment gets.
#[derive(Clone, Copy, Debug)]
pub struct SegmentLimit {
    /// The most changes.
    pub rows: usize,
    /// A segment that is this long ends, even if there are more changes.
    pub bytes: usize,
}

impl Default for SegmentLimit {
    fn default() -> Self {
        Self { rows: 5_000, bytes: 8 * 1024 * 1024 }
    }
}

/// Where a copy of a store stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Which store it is of.
    pub identity: Identity,
    /// Its last revision.
    pub revision: u64,
}

/// Why there is no segment, or why it was not put onto a snapshot.
#[derive(Debug, Error)]
pub enum SegmentError {
    /// Changes after this revision are compacted: only a new snapshot helps.
    #[error("history after revision {after} is gone: it begins at {compacted}")]
    Gone {
        /// The revision that was asked for.
        after: u64,
        /// History up to here is gone.
        compacted: u64,
    },
    /// The bytes are not what was written.
    #[error("it is not a whole segment")]
    Damaged,
    /// It is of another store.
    #[error("it is of the store {found}, not of {wanted}")]
    Foreign {
        /// The store of the segment.
        found: String,
        /// The store of the snapshot.
        wanted: String,
    },
    /// It does not begin where the snapshot ends.
    #[error("it begins at revision {first}, but the state before it ends at {last}")]
    OutOfPlace {
        /// Where the segment begins.
        first: u64,
        /// Where the snapshot ends.
        last: u64,
    },
    /// The file cannot be read or written.
    #[error(transparent)]
    Store(#[from] OpenError),
}

impl From<rusqlite::Error> for SegmentError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(open_error(&error))
    }
}

/// What changed after revision `after` in the store of a data directory, also while a process serves it; `None` when that
/// is nothing.
pub fn read_segment(
    directory: &Path,
    after: u64,
    limit: SegmentLimit,
) -> Result<Option<Segment>, SegmentError> {
    let connection = schema::open_reader(&directory.join(DATABASE))?;
    // Everything is read as of one moment.
    let moment = connection.unchecked_transaction()?;
    let compacted = schema::compacted(&moment)?;
    if compacted > after {
        return Err(SegmentError::Gone { after, compacted });
    }
    let Some(rows) = Rows::read(&moment, after, limit)? else { return Ok(None) };
    let span = Span { first: after + 1, last: rows.last };
    let identity = identity(&moment)?;
    let mut kinds: BTreeMap<_, _> = schema::kinds(&moment)?;
    kinds.retain(|id, _| rows.kinds.contains(id));
    let header = Header { identity, span, keys: Needs::read(&moment)?, kinds, rows: rows.count };
    Ok(Some(Segment { span, bytes: header.encode(rows.encoded) }))
}

/// Where a snapshot stands.
pub fn position(file: &Path) -> Result<Position, OpenError> {
    let failed = |error: rusqlite::Error| open_error(&error);
    let connection = schema::open_reader(file).map_err(failed)?;
    schema::check_format(&connection)?;
    let revision = schema::last_revision(&connection).map_err(failed)?;
    Ok(Position { identity: identity(&connection)?, revision })
}

fn identity(connection: &Connection) -> Result<Identity, OpenError> {
    let identity = schema::identity(connection).map_err(|error| open_error(&error))?;
    identity.ok_or_else(|| OpenError::Damaged("the store has no identity".to_owned()))
}

/// Rows as a segment has them.
struct Rows {
    encoded: Encoder,
    count: i64,
    last: u64,
    kinds: BTreeSet<i64>,
}

impl Rows {
    fn read(
        connection: &Connection,
        after: u64,
        limit: SegmentLimit,
    ) -> Result<Option<Self>, SegmentError> {
        let sql =
            format!("SELECT {} FROM log l WHERE l.rev > ?1 ORDER BY l.rev LIMIT ?2", columns("l"));
        let mut statement = connection.prepare(&sql)?;
        let most = i64::try_from(limit.rows).unwrap_or(i64::MAX);
        let mut found = statement.query((signed(after), most))?;
        let mut rows =
            Self { encoded: Encoder::default(), count: 0, last: after, kinds: BTreeSet::new() };
        while rows.encoded.len() < limit.bytes
            && let Some(row) = found.next()?
        {
            let damaged = || OpenError::Damaged(format!("the change after {} is", rows.last));
            let stored = StoredRow::read(row, 0).ok_or_else(damaged)?;
            rows.encoded.row(&stored, row.get(CHECKSUM)?);
            rows.count += 1;
            rows.last = unsigned(stored.rev);
            rows.kinds.insert(stored.kind_id);
        }
        Ok((rows.count > 0).then_some(rows))
    }
}
