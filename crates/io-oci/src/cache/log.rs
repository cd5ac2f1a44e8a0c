//! The cache on disk: one line per entry, written at the end, later lines win.
//!
//! Every line carries its own checksum, so what a crash or a full disk cut off is skipped and the rest
//! stays true. When most lines are outdated, the file is written anew beside the old one and takes its
//! place by a rename. One process owns the directory; a second one does without it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use core_rules::digest::hex;
use xxhash_rust::xxh3::xxh3_64;

use super::{Key, MAX_VALUE};

const FILE: &str = "registry-metadata.log";
const NEW_FILE: &str = "registry-metadata.new";
const LOCK_FILE: &str = "registry-metadata.lock";
/// Key, checksum and two blanks before the value.
const PREFIX: usize = 32 + 1 + 16 + 1;
/// Outdated lines that are always tolerated.
const TOLERATED: usize = 10_000;

pub(super) struct Log {
    path: PathBuf,
    file: File,
    lines: usize,
    /// Whether the file holds damaged lines, or ends in one.
    damaged: bool,
    _lock: File,
}

impl Log {
    /// Takes the directory and hands every whole entry to `keep`, oldest first.
    pub(super) fn open(directory: &Path, mut keep: impl FnMut(Key, Arc<str>)) -> io::Result<Self> {
        std::fs::create_dir_all(directory)?;
        let lock = private(OpenOptions::new().create(true).truncate(false))
            .open(directory.join(LOCK_FILE))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("another process uses the directory"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let path = directory.join(FILE);
        let file = private(OpenOptions::new().create(true).read(true).append(true)).open(&path)?;
        let mut log = Self { path, file, lines: 0, damaged: false, _lock: lock };
        log.load(&mut keep)?;
        Ok(log)
    }

    fn load(&mut self, keep: &mut impl FnMut(Key, Arc<str>)) -> io::Result<()> {
        let mut reader = BufReader::new(&self.file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let limit = u64::try_from(PREFIX + MAX_VALUE + 1).unwrap_or(u64::MAX);
            let read = (&mut reader).take(limit).read_until(b'\n', &mut line)?;
            if read == 0 {
                return Ok(());
            }
            self.lines += 1;
            match parse(&line) {
                Some((key, value)) => keep(key, value),
                None => self.damaged = true,
            }
        }
    }

    pub(super) fn append(&mut self, key: &Key, value: &str) -> io::Result<()> {
        self.lines += 1;
        // One write per line: two processes cannot mix, and a crash cuts off at most the last line.
        self.file.write_all(format(key, value).as_bytes())
    }

    /// Whether the file is worth writing anew for `live` entries.
    pub(super) fn is_due(&self, live: usize) -> bool {
        self.damaged || self.lines > live.saturating_mul(2).saturating_add(TOLERATED)
    }

    pub(super) fn rewrite<'e>(
        &mut self,
        entries: impl Iterator<Item = (&'e Key, &'e str)>,
    ) -> io::Result<()> {
        let new_path = self.path.with_file_name(NEW_FILE);
        let new = private(OpenOptions::new().create(true).truncate(true)).open(&new_path)?;
        let mut writer = BufWriter::new(new);
        let mut lines = 0;
        for (key, value) in entries {
            writer.write_all(format(key, value).as_bytes())?;
            lines += 1;
        }
        writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&new_path, &self.path)?;
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        (self.lines, self.damaged) = (lines, false);
        Ok(())
    }
}

/// What is kept names private repositories: for the owner of the process only.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.write(true).mode(0o600)
}

fn format(key: &Key, value: &str) -> String {
    format!("{} {:016x} {value}\n", hex(key), checksum(key, value))
}

fn checksum(key: &Key, value: &str) -> u64 {
    xxh3_64(&[key, value.as_bytes()].concat())
}

fn parse(line: &[u8]) -> Option<(Key, Arc<str>)> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (key, rest) = line.split_once(' ')?;
    let (sum, value) = rest.split_once(' ')?;
    let key = u128::from_str_radix(key, 16).ok().filter(|_| key.len() == 32)?.to_be_bytes();
    (u64::from_str_radix(sum, 16).ok()? == checksum(&key, value)).then(|| (key, value.into()))
}
