//! The write-ahead log of a database, read without SQLite: which pages it holds in a newer state than the file.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};

use crate::log::sqlite::schema::PAGE_SIZE;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// The magic numbers; the lowest bit says that checksums are over big-endian words.
const MAGIC: u32 = 0x377f_0682;

/// Pages by their number, of complete transactions.
#[derive(Default)]
pub(super) struct Wal {
    pages: HashMap<u32, Vec<u8>>,
    /// How many pages the database has after the last of them.
    page_count: Option<u32>,
}

/// The running checksum over the log.
#[derive(Clone, Copy, Default, PartialEq)]
struct Sum(u32, u32);

impl Wal {
    /// Reads the log; one that is not there, or not sound from its beginning, holds nothing.
    pub(super) fn read(file: &Path) -> io::Result<Self> {
        match File::open(file) {
            Ok(opened) => Self::parse(BufReader::new(opened)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    pub(super) fn page(&self, number: u32) -> Option<&[u8]> {
        self.pages.get(&number).map(Vec::as_slice)
    }

    pub(super) fn page_count(&self) -> Option<u32> {
        self.page_count
    }

    fn parse(mut reader: impl Read) -> io::Result<Self> {
        let mut wal = Self::default();
        let mut header = [0; HEADER];
        if !fill(&mut reader, &mut header)? {
            return Ok(wal);
        }
        let big_endian = word(&header, 0) == MAGIC | 1;
        let is_ours = word(&header, 0) & !1 == MAGIC && word(&header, 8) as usize == PAGE_SIZE;
        let (checked, stored) = header.split_at(HEADER - 8);
        let mut sum = Sum::default().over(checked, big_endian);
        if !is_ours || sum != Sum(word(stored, 0), word(stored, 4)) {
            return Ok(wal);
        }
        let salts = (word(&header, 16), word(&header, 20));
        let mut uncommitted = Vec::new();
        let mut frame = vec![0; FRAME_HEADER + PAGE_SIZE];
        while fill(&mut reader, &mut frame)? {
            let (head, page) = frame.split_at(FRAME_HEADER);
            sum = sum.over(head.get(..8).unwrap_or_default(), big_endian).over(page, big_endian);
            if (word(head, 8), word(head, 12)) != salts
                || sum != Sum(word(head, 16), word(head, 20))
            {
                break;
            }
            uncommitted.push((word(head, 0), page.to_vec()));
            let page_count = word(head, 4);
            if page_count > 0 {
                wal.pages.extend(uncommitted.drain(..));
                wal.page_count = Some(page_count);
            }
        }
        Ok(wal)
    }
}

impl Sum {
    fn over(self, bytes: &[u8], big_endian: bool) -> Self {
        let read = if big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
        let Self(mut first, mut second) = self;
        for pair in bytes.as_chunks::<8>().0 {
            let [high, low] =
                [pair.first_chunk(), pair.last_chunk()].map(|word| word.copied().map_or(0, read));
            first = first.wrapping_add(high).wrapping_add(second);
            second = second.wrapping_add(low).wrapping_add(first);
        }
        Self(first, second)
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    word.copied().map_or(0, u32::from_be_bytes)
}

/// Fills `buffer`; returns whether there was enough.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(
            mut bytes in proptest::collection::vec(any::<u8>(), 0..200),
            sound in any::<bool>(),
        ) {
            if sound && bytes.len() >= HEADER {
                bytes[..4].copy_from_slice(&MAGIC.to_be_bytes());
                bytes[8..12].copy_from_slice(&crate::log::sqlite::schema::PAGE_BYTES.to_be_bytes());
                let Sum(first, second) = Sum::default().over(&bytes[..24], false);
                bytes[24..28].copy_from_slice(&first.to_be_bytes());
                bytes[28..32].copy_from_slice(&second.to_be_bytes());
            }
            let wal = Wal::parse(&bytes[..]).unwrap();
            prop_assert!(wal.page_count().is_none());
        }
    }
}
