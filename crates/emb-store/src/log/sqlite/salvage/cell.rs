//! The rows on a page of a database, read without SQLite. Nothing here is trusted: every length may be wrong.

use super::pages::Pages;
use crate::log::sqlite::schema::PAGE_SIZE;

const TABLE_LEAF: u8 = 0x0d;
const INDEX_LEAF: u8 = 0x0a;
const INDEX_INTERIOR: u8 = 0x02;
/// The first page starts with the header of the file.
const FILE_HEADER: usize = 100;
/// No row of a store is longer: an object with everything about it has far less.
const MAX_PAYLOAD: usize = 8 * 1024 * 1024;
/// No table of a store has more columns.
const MAX_COLUMNS: usize = 16;

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Text(String),
    Blob(Vec<u8>),
    /// Nothing that a store writes.
    Other,
}

/// A row of a table, or an entry of an index or of a table that is one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    /// The number of the row; `None` in an index.
    pub(super) rowid: Option<i64>,
    pub(super) values: Vec<Value>,
}

/// All cells of a page that can be read.
pub(super) fn cells(pages: &mut Pages, number: u32) -> Vec<Cell> {
    let Some(page) = pages.page(number) else { return Vec::new() };
    let start = if number == 1 { FILE_HEADER } else { 0 };
    let Some(layout) = page.get(start).and_then(|kind| Layout::of(*kind)) else {
        return Vec::new();
    };
    let count = be16(&page, start + 3).unwrap_or(0);
    let pointers = (0..count).filter_map(|at| be16(&page, start + layout.header + 2 * at));
    let cells = pointers.filter_map(|at| cell(pages, page.get(at..)?, &layout));
    cells.collect()
}

struct Layout {
    /// The bytes before the pointers to the cells.
    header: usize,
    has_child: bool,
    has_rowid: bool,
    /// The longest payload that stands wholly on the page.
    max_local: usize,
}

impl Layout {
    fn of(kind: u8) -> Option<Self> {
        let in_index = (PAGE_SIZE - 12) * 64 / 255 - 23;
        let (header, has_child, has_rowid, max_local) = match kind {
            TABLE_LEAF => (8, false, true, PAGE_SIZE - 35),
            INDEX_LEAF => (8, false, false, in_index),
            INDEX_INTERIOR => (12, true, false, in_index),
            _ => return None,
        };
        Some(Self { header, has_child, has_rowid, max_local })
    }

    /// How much of a payload stands on the page itself.
    fn local(&self, payload: usize) -> usize {
        if payload <= self.max_local {
            return payload;
        }
        let min = (PAGE_SIZE - 12) * 32 / 255 - 23;
        let fitting = min + (payload - min) % (PAGE_SIZE - 4);
        if fitting <= self.max_local { fitting } else { min }
    }
}

fn cell(pages: &mut Pages, bytes: &[u8], layout: &Layout) -> Option<Cell> {
    let mut rest = bytes.get(if layout.has_child { 4 } else { 0 }..)?;
    let length = usize::try_from(varint(&mut rest)?).ok().filter(|size| *size <= MAX_PAYLOAD)?;
    let rowid = if layout.has_rowid { Some(varint(&mut rest)?.cast_signed()) } else { None };
    let (local, rest) = rest.split_at_checked(layout.local(length))?;
    let mut payload = local.to_vec();
    let mut next = if payload.len() < length { be32(rest)? } else { 0 };
    while payload.len() < length {
        let page = pages.page(next)?;
        let part = page.get(4..)?;
        next = be32(&page)?;
        payload.extend_from_slice(part.get(..part.len().min(length - payload.len()))?);
    }
    Some(Cell { rowid, values: record(&payload)? })
}

/// The values of a record: a header with their types, then the values.
fn record(payload: &[u8]) -> Option<Vec<Value>> {
    let mut header = payload;
    let length = usize::try_from(varint(&mut header)?).ok()?;
    let mut body = payload.get(length..)?;
    let consumed = payload.len() - header.len();
    let mut header = header.get(..length.checked_sub(consumed)?)?;
    let mut values = Vec::new();
    while !header.is_empty() {
        if values.len() == MAX_COLUMNS {
            return None;
        }
        values.push(value(varint(&mut header)?, &mut body)?);
    }
    Some(values)
}

fn value(serial: u64, body: &mut &[u8]) -> Option<Value> {
    let serial = usize::try_from(serial).ok()?;
    let width = match serial {
        0 | 8..=11 => 0,
        1..=4 => serial,
        5 => 6,
        6 | 7 => 8,
        _ => (serial - 12) / 2,
    };
    let (bytes, rest) = body.split_at_checked(width)?;
    *body = rest;
    Some(match serial {
        0 => Value::Null,
        1..=6 => Value::Integer(integer(bytes)),
        8 => Value::Integer(0),
        9 => Value::Integer(1),
        7 | 10 | 11 => Value::Other,
        _ if serial.is_multiple_of(2) => Value::Blob(bytes.to_vec()),
        _ => String::from_utf8(bytes.to_vec()).map_or(Value::Other, Value::Text),
    })
}

/// A signed number of up to eight bytes, the highest first.
fn integer(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
    bytes.iter().fold(if negative { -1 } else { 0 }, |number, byte| number << 8 | i64::from(*byte))
}

/// A number of up to nine bytes, seven bits each and eight in the last; moves `bytes` behind it.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for at in 0..9 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if at == 8 {
            return Some(number << 8 | u64::from(*byte));
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn be16(bytes: &[u8], at: usize) -> Option<usize> {
    let pair = bytes.get(at..)?.first_chunk()?;
    Some(usize::from(u16::from_be_bytes(*pair)))
}

fn be32(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().copied().map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_read_as_sqlite_writes_them() {
        for (bytes, number) in [
            (&[0x05u8][..], 5),
            (&[0x81, 0x00], 128),
            (&[0xff; 9], u64::MAX),
            (&[0x82, 0x80, 0x01], 32_769),
        ] {
            assert_eq!(varint(&mut &bytes[..]), Some(number));
        }
        assert_eq!([integer(&[0xff]), integer(&[0x01, 0x00]), integer(&[])], [-1, 256, 0]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let directory = tempfile::tempdir().unwrap();
            let file = directory.path().join("store.db");
            for kind in [TABLE_LEAF, INDEX_LEAF, INDEX_INTERIOR] {
                let mut page = bytes.clone();
                page.resize(PAGE_SIZE, 0);
                page[0] = kind;
                // Two pages: the second one is read as the first is, and chains of either may end in the other.
                std::fs::write(&file, page.repeat(2)).unwrap();
                let mut pages = Pages::open(&file).unwrap();
                let numbers: Vec<u32> = pages.in_use().collect();
                for number in numbers {
                    cells(&mut pages, number);
                }
            }
            record(&bytes);
        }
    }
}
