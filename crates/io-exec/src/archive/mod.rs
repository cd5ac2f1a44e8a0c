//! Archives of files in a [`crate::Jail`].
//!
//! An archive is somebody else's program for writing files, so unpacking counts everything it asks for:
//! bytes, files, the length of names, and what a compressed stream becomes.

mod meter;
mod pack;
mod unpack;

use std::{io, path::PathBuf};

pub use self::{
    pack::{Compression, pack},
    unpack::{Unpacked, unpack},
};
use crate::JailError;

/// The largest file in an archive.
pub const MAX_FILE_BYTES: u64 = 50 << 20;

/// The largest sum of the files of an archive.
pub const MAX_TOTAL_BYTES: u64 = 100 << 20;

/// The largest number of entries.
pub const MAX_ENTRIES: usize = 100_000;

/// Why there is no archive, or nothing of it.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// A file could not be read or written.
    #[error(transparent)]
    Jail(#[from] JailError),
    /// A file is too large for an archive.
    #[error("{} has {size} bytes; a file of an archive may have {MAX_FILE_BYTES}", path.display())]
    FileTooLarge {
        /// Which file.
        path: PathBuf,
        /// How large it is, or says it is.
        size: u64,
    },
    /// The files together are too large.
    #[error(
        "the files of the archive have more than {MAX_TOTAL_BYTES} bytes together: leave some out with ignore"
    )]
    TooLarge,
    /// There are too many files.
    #[error("the archive has more than {MAX_ENTRIES} entries: leave some out with ignore")]
    TooMany,
    /// A file changed its size meanwhile.
    #[error("{} changed while it was packed: try again", path.display())]
    Changed {
        /// Which file.
        path: PathBuf,
    },
    /// The archive would take the place of the work directory or of the archive itself.
    #[error("cannot unpack to {}: it holds the archive itself, or is the work directory", path.display())]
    Target {
        /// Where it was to be unpacked.
        path: PathBuf,
    },
    /// It is no archive, or not all of it.
    #[error("{} cannot be read as a tar archive", path.display())]
    Unreadable {
        /// Which archive.
        path: PathBuf,
        /// Where reading ended.
        #[source]
        source: io::Error,
    },
}

#[cfg(test)]
mod tests;
