//! The pages of a database as they would be after its log was folded in, read without SQLite.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use super::wal::Wal;
use crate::log::sqlite::{
    files::with_suffix,
    schema::{PAGE_BYTES, PAGE_SIZE},
};

/// Entries of a pointer map have five bytes: what a page is, and which page names it.
const ENTRY: usize = 5;
const PAGES_PER_MAP: u32 = PAGE_BYTES / 5;
/// The page at one gibibyte is left out by SQLite, because Windows locks bytes there.
const LOCK_PAGE: u32 = 0x4000_0000 / PAGE_BYTES + 1;
const FREE: u8 = 2;

pub(super) struct Pages {
    file: File,
    wal: Wal,
    count: u32,
}

impl Pages {
    /// Opens a database with the log beside it.
    pub(super) fn open(database: &Path) -> io::Result<Self> {
        let file = File::open(database)?;
        let wal = Wal::read(&with_suffix(database, "-wal"))?;
        let in_file = u32::try_from(file.metadata()?.len().div_ceil(PAGE_SIZE as u64));
        let count = wal.page_count().or(in_file.ok()).unwrap_or(u32::MAX);
        Ok(Self { file, wal, count })
    }

    /// The numbers of the pages that may be in use.
    pub(super) fn in_use(&mut self) -> impl Iterator<Item = u32> {
        let mut free = Vec::new();
        let mut map = 2;
        while map <= self.count {
            if let Some(entries) = self.page(map) {
                let kinds = entries.iter().step_by(ENTRY).zip(map.saturating_add(1)..);
                free.extend(kinds.filter(|(kind, _)| **kind == FREE).map(|(_, page)| page));
            }
            map = match map.checked_add(PAGES_PER_MAP + 1) {
                Some(LOCK_PAGE) => LOCK_PAGE + 1,
                Some(next) => next,
                None => break,
            };
        }
        free.sort_unstable();
        (1..=self.count).filter(move |page| free.binary_search(page).is_err())
    }

    /// One page; `None` when it cannot be read. The last one of a file that was cut off ends in zeros.
    pub(super) fn page(&mut self, number: u32) -> Option<Vec<u8>> {
        if let Some(page) = self.wal.page(number) {
            return Some(page.to_vec());
        }
        let offset = u64::from(number.checked_sub(1)?) * PAGE_SIZE as u64;
        self.file.seek(SeekFrom::Start(offset)).ok()?;
        let mut page = Vec::with_capacity(PAGE_SIZE);
        Read::by_ref(&mut self.file).take(PAGE_SIZE as u64).read_to_end(&mut page).ok()?;
        if page.is_empty() {
            return None;
        }
        page.resize(PAGE_SIZE, 0);
        Some(page)
    }
}
