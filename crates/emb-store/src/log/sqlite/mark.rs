//! How far the store has come, in a small file beside it.
//!
//! SQLite cannot tell a log that is complete from one whose end was lost, nor a database from an older copy of it. Revisions
//! that were given out would then be given out again, with other objects. The mark follows every durable batch without a
//! sync of its own: it may be behind after a loss of power, and is never ahead.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, Write},
    path::Path,
};

use xxhash_rust::xxh3::xxh3_64;

const FILE: &str = "revision";
/// Longer than any mark.
const MAX_BYTES: u64 = 64;

/// The open mark of a data directory.
pub(super) struct Mark {
    file: File,
}

impl Mark {
    /// Opens the mark of `directory`, made if it is not there.
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        Ok(Self { file: options.open(directory.join(FILE))? })
    }

    /// The last revision that is known to have been durable; 0 when nothing is known.
    pub(super) fn get(&mut self) -> io::Result<u64> {
        let mut text = String::new();
        self.file.rewind()?;
        // What a loss of power has left of it may be anything.
        let read = (&self.file).take(MAX_BYTES).read_to_string(&mut text);
        Ok(read.ok().and_then(|_| parse(&text)).unwrap_or(0))
    }

    /// Notes that everything up to `revision` is durable.
    pub(super) fn set(&mut self, revision: u64) -> io::Result<()> {
        self.file.rewind()?;
        self.file.write_all(line(revision).as_bytes())
    }
}

/// One line of always the same length, so that writing it never needs room.
fn line(revision: u64) -> String {
    let digits = format!("{revision:020}");
    format!("{digits} {:016x}\n", xxh3_64(digits.as_bytes()))
}

fn parse(text: &str) -> Option<u64> {
    let revision = text.get(..20)?.parse().ok()?;
    (line(revision) == text).then_some(revision)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_back_and_anything_else_is_unknown() {
        let directory = tempfile::tempdir().unwrap();
        let mut mark = Mark::open(directory.path()).unwrap();
        assert_eq!(mark.get().unwrap(), 0);
        mark.set(41).unwrap();
        mark.set(42).unwrap();
        assert_eq!(Mark::open(directory.path()).unwrap().get().unwrap(), 42);
        for odd in [
            "",
            "42",
            "00000000000000000043 0000000000000000\n",
            "\0\0\0\0",
            "é".repeat(40).as_str(),
        ] {
            std::fs::write(directory.path().join(FILE), odd).unwrap();
            assert_eq!(Mark::open(directory.path()).unwrap().get().unwrap(), 0);
        }
    }
}
