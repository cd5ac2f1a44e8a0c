//! Reads archives into a directory of their own, which then takes the place of the target.

use std::{
    collections::hash_map::DefaultHasher,
    ffi::OsStr,
    hash::{Hash, Hasher},
    io::{self, BufReader, Read, Seek},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use core_pattern::slash_path;
use flate2::read::MultiGzDecoder;
use tar::{Archive, Entry, EntryType};

use super::{
    ArchiveError, MAX_ENTRIES, MAX_FILE_BYTES, MAX_TOTAL_BYTES,
    meter::{Allowance, Metered},
};
use crate::{IgnoreRules, Jail, JailError};

/// What the headers of one entry may take, long names and attributes included.
const MAX_HEADER_BYTES: u64 = 1 << 20;

/// Entries are padded to this.
const BLOCK_BYTES: u64 = 512;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

const DIRECTORY_MODE: u32 = 0o750;

/// What came of an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unpacked {
    /// Files, directories and links that were written.
    pub written: usize,
    /// Entries that were left out: by rules, or because of their name or kind.
    pub skipped: usize,
}

/// Unpacks an archive; the target is replaced as a whole once everything is there.
pub fn unpack(
    jail: &Jail,
    input: &str,
    output: &str,
    strip_components: usize,
    rules: &IgnoreRules,
) -> Result<Unpacked, ArchiveError> {
    let (archive, target) = (jail.locate(input)?, jail.locate(output)?);
    if archive.starts_with(&target) {
        return Err(ArchiveError::Target { path: target });
    }
    let stream = open(jail, input, &archive)?;
    let temporary = temporary_name(&target);
    // A killed attempt may have left one.
    jail.remove(&temporary)?;
    let result = fill(jail, &temporary, &archive, stream, strip_components, rules)
        .and_then(|unpacked| Ok(jail.swap_in(&temporary, &target).map(|()| unpacked)?));
    if result.is_err() {
        // The first error tells what is wrong.
        let _ = jail.remove(&temporary);
    }
    result
}

fn fill(
    jail: &Jail,
    temporary: &Path,
    archive: &Path,
    stream: Box<dyn Read>,
    strip_components: usize,
    rules: &IgnoreRules,
) -> Result<Unpacked, ArchiveError> {
    jail.create_dirs_with(temporary, DIRECTORY_MODE)?;
    let inside = jail.beneath(temporary)?;
    let mut unpacker =
        Unpacker { jail: inside, rules, strip_components, total: 0, unpacked: Unpacked::default() };
    unpacker.run(archive, stream)
}

/// The same for the same target, so that the next attempt finds what a killed one left.
pub(super) fn temporary_name(target: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    target.hash(&mut hasher);
    format!(".untar-{:016x}", hasher.finish()).into()
}

fn open(jail: &Jail, input: &str, archive: &Path) -> Result<Box<dyn Read>, ArchiveError> {
    let mut file = jail.open_file(input)?;
    let failed = |error| JailError::io("read", archive, error);
    let mut magic = Vec::new();
    file.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut magic).map_err(failed)?;
    file.rewind().map_err(failed)?;
    let file = BufReader::with_capacity(1 << 16, file);
    Ok(if magic == GZIP_MAGIC { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

struct Unpacker<'a> {
    jail: Jail,
    rules: &'a IgnoreRules,
    strip_components: usize,
    total: u64,
    unpacked: Unpacked,
}

impl Unpacker<'_> {
    fn run(&mut self, path: &Path, stream: Box<dyn Read>) -> Result<Unpacked, ArchiveError> {
        let unreadable = |source| ArchiveError::Unreadable { path: path.to_owned(), source };
        let allowance = Allowance::default();
        allowance.grant(MAX_HEADER_BYTES);
        let mut archive = Archive::new(Metered::new(stream, allowance.clone()));
        for (index, entry) in archive.entries().map_err(unreadable)?.enumerate() {
            let mut entry = entry.map_err(unreadable)?;
            if index >= MAX_ENTRIES {
                return Err(ArchiveError::TooMany);
            }
            // The next header comes after the content of this one, read or not.
            let content = stored_size(&entry).map_err(unreadable)?.next_multiple_of(BLOCK_BYTES);
            allowance.grant(content.saturating_add(MAX_HEADER_BYTES));
            let is_written = self.entry(&mut entry, path)?;
            let count =
                if is_written { &mut self.unpacked.written } else { &mut self.unpacked.skipped };
            *count += 1;
        }
        Ok(self.unpacked)
    }

    /// Writes an entry; `false` when it is left out.
    fn entry<R: Read>(
        &mut self,
        entry: &mut Entry<'_, R>,
        archive: &Path,
    ) -> Result<bool, ArchiveError> {
        let name = entry.path_bytes().into_owned();
        let Some(kind) = Kind::of(entry.header().entry_type(), &name) else { return Ok(false) };
        let Some(name) = strip(&name, self.strip_components).filter(|name| is_safe(name)) else {
            return Ok(false);
        };
        // Without the slash at the end, which rules do not expect.
        let path: &PathBuf = &Path::new(OsStr::from_bytes(name)).components().collect();
        if self.rules.ignores_within(path, kind == Kind::Directory) {
            return Ok(false);
        }
        match kind {
            Kind::Directory => self.jail.create_dirs_with(path, DIRECTORY_MODE)?,
            Kind::Symlink => return Ok(self.link(entry, path)),
            Kind::File => self.file(entry, path, archive)?,
        }
        Ok(true)
    }

    fn link<R: Read>(&self, entry: &Entry<'_, R>, path: &Path) -> bool {
        entry.link_name_bytes().filter(|target| is_safe(target)).is_some_and(|target| {
            let made = self
                .jail
                .create_parents(path, DIRECTORY_MODE)
                .and_then(|()| self.jail.symlink(OsStr::from_bytes(&target), path));
            if let Err(error) = &made {
                tracing::debug!(%error, "a link of an archive was left out");
            }
            made.is_ok()
        })
    }

    fn file<R: Read>(
        &mut self,
        entry: &mut Entry<'_, R>,
        path: &Path,
        archive: &Path,
    ) -> Result<(), ArchiveError> {
        let size = entry.size();
        if size > MAX_FILE_BYTES {
            return Err(ArchiveError::FileTooLarge { path: path.to_owned(), size });
        }
        self.total += size;
        if self.total > MAX_TOTAL_BYTES {
            return Err(ArchiveError::TooLarge);
        }
        let unreadable = |source| ArchiveError::Unreadable { path: archive.to_owned(), source };
        let mode = entry.header().mode().map_err(unreadable)?;
        let modified = entry.header().mtime().map_err(unreadable)?;
        self.jail.create_parents(path, DIRECTORY_MODE)?;
        let mut file = self.jail.create(path)?.with_mode(mode)?;
        if copy(entry, &mut file, path, archive)? < size {
            return Err(unreadable(io::ErrorKind::UnexpectedEof.into()));
        }
        match SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(modified)) {
            Some(modified) => file.commit_modified(modified)?,
            None => file.commit()?,
        }
        Ok(())
    }
}

/// Copies content, and tells who of both failed.
fn copy(
    content: &mut impl Read,
    file: &mut crate::NewFile,
    path: &Path,
    archive: &Path,
) -> Result<u64, ArchiveError> {
    let mut buffer = vec![0; 1 << 16];
    let mut copied = 0;
    loop {
        let read = content
            .read(&mut buffer)
            .map_err(|source| ArchiveError::Unreadable { path: archive.to_owned(), source })?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else {
            return Ok(copied);
        };
        file.append(part).map_err(|error| match error {
            JailError::Io { action, source, .. } => JailError::io(action, path, source),
            other => other,
        })?;
        copied += read as u64;
    }
}

/// The kinds of entries that are unpacked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Directory,
    Symlink,
}

impl Kind {
    fn of(kind: EntryType, name: &[u8]) -> Option<Self> {
        match kind {
            // The oldest archives know a directory by its name alone.
            EntryType::Regular if name.ends_with(b"/") => Some(Self::Directory),
            EntryType::Regular => Some(Self::File),
            EntryType::Directory => Some(Self::Directory),
            EntryType::Symlink => Some(Self::Symlink),
            _ => None,
        }
    }
}

/// The bytes that the content of an entry takes in the archive.
fn stored_size<R: Read>(entry: &Entry<'_, R>) -> io::Result<u64> {
    match entry.header().entry_type() {
        EntryType::GNUSparse => entry.header().entry_size(),
        _ => Ok(entry.size()),
    }
}

/// A name without its first components; `None` when it has no more than those.
fn strip(name: &[u8], components: usize) -> Option<&[u8]> {
    let mut rest = name;
    for _ in 0..components {
        let slash = rest.iter().position(|&byte| byte == b'/')?;
        rest = rest.get(slash + 1..)?;
    }
    Some(rest)
}

/// Whether a name or the target of a link stays where it is unpacked, whoever reads it.
fn is_safe(name: &[u8]) -> bool {
    let contains = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
    let leads_up = slash_path::clean(&String::from_utf8_lossy(name)).starts_with("..");
    !(name.is_empty()
        || name.starts_with(b"/")
        || name.starts_with(b"./")
        || name.contains(&b'\\')
        || name.contains(&0)
        || contains(b"../")
        || leads_up)
}
