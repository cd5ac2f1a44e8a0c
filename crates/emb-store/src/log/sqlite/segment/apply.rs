//! Putting a segment onto the snapshot that it continues: all of it or nothing.

use std::{collections::BTreeMap, path::Path};

use emb_meta::GroupResource;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::{
    Position, SegmentError, Span,
    form::{Decoder, Header},
    identity,
};
use crate::log::sqlite::{
    digest,
    row::StoredRow,
    schema::{self, signed},
    sealing, writer,
};

/// Puts `segment` onto the snapshot in the file `base`, which must end where the segment begins. A segment that does not
/// fit or is damaged leaves the file as it was. The file is a copy that is worked on: a loss of power may break it.
pub fn apply_segment(base: &Path, segment: &[u8]) -> Result<Span, SegmentError> {
    let mut decoder = Decoder::new(segment).ok_or(SegmentError::Damaged)?;
    let header = decoder.header().ok_or(SegmentError::Damaged)?;
    let mut connection = open(base)?;
    let transaction = connection.transaction()?;
    let revision = schema::last_revision(&transaction)?;
    check(&header, &Position { identity: identity(&transaction)?, revision })?;
    let mut target = Target::new(&transaction)?;
    for _ in 0..header.rows {
        let row = decoder.row().ok_or(SegmentError::Damaged)?;
        let resource = header.kinds.get(&row.kind_id).ok_or(SegmentError::Damaged)?;
        target.put(row, resource, header.span)?;
    }
    if !decoder.is_at_end() || target.last != signed(header.span.last) {
        return Err(SegmentError::Damaged);
    }
    digest::record(&transaction, target.digest)?;
    schema::set_meta(&transaction, "last_revision", target.last)?;
    sealing::admit(&transaction, &header.keys)?;
    transaction.commit()?;
    Ok(header.span)
}

fn open(base: &Path) -> Result<Connection, SegmentError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(base, flags)?;
    schema::check_format(&connection)?;
    connection.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")?;
    Ok(connection)
}

/// Whether a segment continues a state.
fn check(segment: &Header, state: &Position) -> Result<(), SegmentError> {
    if segment.identity != state.identity {
        let name = |of: &crate::Identity| format!("{} (epoch {})", of.uuid, of.epoch);
        let (found, wanted) = (name(&segment.identity), name(&state.identity));
        return Err(SegmentError::Foreign { found, wanted });
    }
    if segment.span.first != state.revision + 1 {
        let (first, last) = (segment.span.first, state.revision);
        return Err(SegmentError::OutOfPlace { first, last });
    }
    Ok(())
}

/// A snapshot that rows are put onto.
struct Target<'a> {
    connection: &'a Connection,
    kinds: BTreeMap<GroupResource, i64>,
    digest: i64,
    /// The revision of the last row that was put.
    last: i64,
}

impl<'a> Target<'a> {
    fn new(connection: &'a Connection) -> Result<Self, SegmentError> {
        let kinds = schema::kinds(connection)?;
        Ok(Self {
            connection,
            kinds: kinds.into_iter().map(|(id, resource)| (resource, id)).collect(),
            digest: digest::recorded(connection)?.unwrap_or(0),
            last: 0,
        })
    }

    fn put(
        &mut self,
        row: StoredRow<'_>,
        resource: &GroupResource,
        span: Span,
    ) -> Result<(), SegmentError> {
        let row = StoredRow { kind_id: self.kind(resource)?, ..row };
        let is_in_order = row.rev > self.last && row.rev >= signed(span.first);
        // It replaces what it has replaced in its store, or it is of another past.
        if !is_in_order || self.current(&row)? != row.prev_rev {
            return Err(SegmentError::Damaged);
        }
        let of = |rev| digest::of_object(row.kind_id, row.ns, row.name, rev);
        if row.prev_rev != 0 {
            self.digest = self.digest.wrapping_sub(of(row.prev_rev));
        }
        if !row.is_delete() {
            self.digest = self.digest.wrapping_add(of(row.rev));
        }
        row.put(self.connection)?;
        self.last = row.rev;
        Ok(())
    }

    /// The number of a resource here.
    fn kind(&mut self, resource: &GroupResource) -> Result<i64, SegmentError> {
        if let Some(id) = self.kinds.get(resource) {
            return Ok(*id);
        }
        let id = writer::insert_kind(self.connection, resource)?;
        self.kinds.insert(resource.clone(), id);
        self.digest = self.digest.wrapping_add(digest::of_kind(id, resource));
        Ok(id)
    }

    /// The revision at which the object of a row stands; 0 when it is not there.
    fn current(&self, row: &StoredRow<'_>) -> Result<i64, SegmentError> {
        let sql = "SELECT rev FROM current WHERE kind_id = ?1 AND ns = ?2 AND name = ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row((row.kind_id, row.ns, row.name), |row| row.get(0));
        Ok(found.optional()?.unwrap_or(0))
    }
}
