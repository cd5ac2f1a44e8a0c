//! A power cut for one process: what it wrote and did not fsync is taken back.
//!
//! A small preloaded library (`power_cut.c`) notes the old bytes of every write below the data directory, and every fsync.
//! After the kill the notes are read backwards: each write that no later fsync of the same file covers is undone.

use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

/// The preload library and its notes.
pub(crate) struct PowerCut {
    library: PathBuf,
    notes: PathBuf,
}

/// One note, as the library writes it: see `struct note` in `power_cut.c`.
struct Note<'a> {
    path: &'a str,
    kind: Kind,
    offset: u64,
    old_size: u64,
    old_bytes: &'a [u8],
}

#[derive(PartialEq)]
enum Kind {
    Write,
    Sync,
}

impl PowerCut {
    /// Compiles the library into `folder`.
    pub(crate) fn build(folder: &Path) -> Result<Self> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("power_cut.c");
        let library = folder.join("power_cut.so");
        let status = Command::new("cc")
            .args(["-O2", "-Wall", "-shared", "-fPIC", "-o"])
            .args([&library, &source])
            .args(["-ldl", "-pthread"])
            .status()
            .context("run cc")?;
        ensure!(status.success(), "cc failed");
        Ok(Self { library, notes: folder.join("notes") })
    }

    /// What makes a process run under it.
    pub(crate) fn environment(&self, data: &Path) -> Vec<(String, String)> {
        vec![
            ("LD_PRELOAD".into(), self.library.display().to_string()),
            ("POWER_CUT_BELOW".into(), data.display().to_string()),
            ("POWER_CUT_NOTES".into(), self.notes.display().to_string()),
        ]
    }

    /// Undoes everything that was written after the last fsync of its file.
    pub(crate) fn take_back_unsynced(&self) -> Result<()> {
        let bytes = fs::read(&self.notes).unwrap_or_default();
        let notes = parse(&bytes);
        let mut synced = BTreeSet::new();
        // Without a single fsync the library was not at work, and the test would prove nothing.
        ensure!(
            notes.iter().any(|note| note.kind == Kind::Sync),
            "the preloaded library noted no fsync"
        );
        for note in notes.iter().rev() {
            if note.kind == Kind::Sync {
                synced.insert(note.path);
            } else if !synced.contains(note.path) {
                undo(note)?;
            }
        }
        fs::write(&self.notes, b"")?;
        Ok(())
    }
}

fn undo(note: &Note<'_>) -> Result<()> {
    let Ok(file) = OpenOptions::new().write(true).open(note.path) else {
        return Ok(()); // removed since: SQLite drops its log when it was folded in
    };
    file.write_all_at(note.old_bytes, note.offset)?;
    file.set_len(note.old_size)?;
    Ok(())
}

/// Reads the notes; the last one may be cut off by the kill, which came before its write then.
fn parse(bytes: &[u8]) -> Vec<Note<'_>> {
    let mut notes = Vec::new();
    let mut rest = bytes;
    while let Some((note, after)) = parse_one(rest) {
        notes.push(note);
        rest = after;
    }
    notes
}

fn parse_one(bytes: &[u8]) -> Option<(Note<'_>, &[u8])> {
    let (kind, rest) = number(bytes)?;
    let (path_length, rest) = number(rest)?;
    let (offset, rest) = number(rest)?;
    let (old_size, rest) = number(rest)?;
    let (length, rest) = number(rest)?;
    let (path, rest) = rest.split_at_checked(usize::try_from(path_length).ok()?)?;
    let (old_bytes, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let kind = if kind == 0 { Kind::Write } else { Kind::Sync };
    Some((Note { path: std::str::from_utf8(path).ok()?, kind, offset, old_size, old_bytes }, rest))
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*head), rest))
}
