//! What is known about a file without reading it.

use std::time::{Duration, SystemTime};

use rustix::fs::{FileType, Stat};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A device, a socket, a pipe.
    Special,
}

/// What is known about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: FileKind,
    /// Permissions: the lowest twelve bits of its mode.
    pub mode: u32,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written to.
    pub modified: SystemTime,
}

impl From<Stat> for Metadata {
    fn from(stat: Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => FileKind::File,
            FileType::Directory => FileKind::Directory,
            FileType::Symlink => FileKind::Symlink,
            _ => FileKind::Special,
        };
        let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
        let nanoseconds = u32::try_from(stat.st_mtime_nsec).unwrap_or(0);
        Self {
            kind,
            mode: stat.st_mode & 0o7777,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds),
        }
    }
}
