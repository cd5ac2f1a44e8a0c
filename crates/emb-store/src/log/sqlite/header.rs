//! The first bytes of a database file, read without SQLite: to open a file for writing changes it, whosever it is.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use super::schema::{APPLICATION_ID, PAGE_BYTES};

/// How every database of SQLite begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// The length of a header.
const LENGTH: usize = 100;
// Where a header has its numbers.
const PAGE_SIZE: usize = 16;
const SCHEMA_COOKIE: usize = 40;
const LARGEST_ROOT: usize = 52;
const USER_VERSION: usize = 60;
const INCREMENTAL_VACUUM: usize = 64;
const APPLICATION: usize = 68;

/// Whose file it is, as far as its beginning tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// It is not there, or empty.
    Nobody,
    /// It is a store.
    Us,
    /// It may become a store: its process died before there were tables, or they are in the side file.
    UsSoon,
    /// It is the database of another program.
    Another,
    /// It is no database, or its beginning is damaged.
    Unknown,
}

/// Looks at the beginning of a file.
pub(super) fn owner(file: &Path) -> io::Result<Owner> {
    let mut header = Vec::with_capacity(LENGTH);
    match File::open(file) {
        Ok(file) => file.take(LENGTH as u64).read_to_end(&mut header)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Owner::Nobody),
        Err(error) => return Err(error),
    };
    Ok(owner_of(&header))
}

/// Whether the file is a copy of a store, as [`super::snapshot`] makes them. Whether it is a whole one is another question.
pub fn is_snapshot(file: &Path) -> io::Result<bool> {
    Ok(owner(file)? == Owner::Us)
}

fn owner_of(header: &[u8]) -> Owner {
    if header.is_empty() {
        return Owner::Nobody;
    }
    if header.len() < LENGTH || !header.starts_with(MAGIC) {
        return Owner::Unknown;
    }
    let number = |at: usize| -> u32 {
        let bytes = header.get(at..).and_then(<[u8]>::first_chunk);
        bytes.copied().map_or(0, u32::from_be_bytes)
    };
    // Two bytes, and two that are something else.
    let page_size = number(PAGE_SIZE) >> 16;
    let is_blank = [SCHEMA_COOKIE, USER_VERSION, APPLICATION].map(number) == [0; 3];
    let is_incremental = number(LARGEST_ROOT) != 0 && number(INCREMENTAL_VACUUM) != 0;
    match number(APPLICATION) {
        APPLICATION_ID => Owner::Us,
        0 if is_blank && is_incremental && page_size == PAGE_BYTES => Owner::UsSoon,
        _ => Owner::Another,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use core_clock::{ManualClock, SeededEntropy, Time};
    use proptest::prelude::*;
    use rusqlite::Connection;

    use super::*;
    use crate::{BackupError, OpenError, SqliteLog, log::sqlite::DATABASE, restore};

    #[test]
    fn the_database_of_another_program_is_refused_and_stays_as_it_was() {
        for content in [
            "CREATE TABLE bookmarks (url TEXT)",
            "PRAGMA journal_mode = WAL; CREATE TABLE bookmarks (url TEXT)",
            "PRAGMA user_version = 7",
            "PRAGMA journal_mode = WAL",
            "PRAGMA page_size = 8192; PRAGMA auto_vacuum = 2; PRAGMA application_id = 7",
            "PRAGMA page_size = 8192; PRAGMA auto_vacuum = 2; CREATE TABLE bookmarks (url TEXT)",
        ] {
            let directory = tempfile::tempdir().unwrap();
            let file = directory.path().join(DATABASE);
            Connection::open(&file).unwrap().execute_batch(content).unwrap();
            let before = fs::read(&file).unwrap();
            let refused = SqliteLog::open(directory.path(), "").map(drop);
            assert!(matches!(refused, Err(OpenError::Foreign { .. })), "{content}: {refused:?}");
            let copy = directory.path().join("copy");
            let refused = crate::snapshot(directory.path(), &copy);
            assert!(matches!(refused, Err(BackupError::Foreign { .. })), "{content}: {refused:?}");
            assert_eq!(fs::read(&file).unwrap(), before, "{content}");
            let files = fs::read_dir(directory.path()).unwrap();
            let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
            names.sort();
            assert_eq!(names, ["lock", DATABASE], "{content}");
        }
    }

    #[test]
    fn only_a_copy_of_a_store_is_a_snapshot() {
        let directory = tempfile::tempdir().unwrap();
        let (copy, other) = (directory.path().join("copy"), directory.path().join("other"));
        let store = directory.path().join("store");
        drop(SqliteLog::open(&store, "").unwrap());
        crate::snapshot(&store, &copy).unwrap();
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE bookmarks (url)").unwrap();
        assert!(is_snapshot(&copy).unwrap());
        assert!(!is_snapshot(&other).unwrap());
        assert!(!is_snapshot(&directory.path().join("nowhere")).unwrap());
    }

    #[test]
    fn what_is_no_whole_snapshot_is_named_and_nothing_is_made_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let (file, target) = (directory.path().join("notes.txt"), directory.path().join("new"));
        fs::write(&file, "buy milk").unwrap();
        let clock = ManualClock::new(Time::from_seconds(1_700_000_000));
        let refused = restore(&file, &target, &clock, &SeededEntropy::new(1)).unwrap_err();
        let told = refused.to_string();
        assert!(told.contains("notes.txt is not a whole snapshot: "), "{told}");
        assert!(!target.exists());
    }

    proptest! {
        #[test]
        fn any_beginning_has_an_owner(
            mut header in prop::collection::vec(any::<u8>(), 0..120),
            is_database in any::<bool>(),
        ) {
            if is_database && header.len() >= MAGIC.len() {
                header.splice(..MAGIC.len(), MAGIC.iter().copied());
            }
            let owner = owner_of(&header);
            prop_assert_eq!(owner == Owner::Nobody, header.is_empty());
        }
    }
}
