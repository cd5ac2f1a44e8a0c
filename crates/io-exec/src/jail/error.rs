//! Why a file could not be read or changed.

use std::{
    io,
    path::{Path, PathBuf},
};

/// What a [`super::Jail`] refused, or could not do. Paths are relative to its directory.
#[derive(Debug, thiserror::Error)]
pub enum JailError {
    /// The system said no.
    #[error("cannot {action} {}", shown(path))]
    Io {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// Writing there could make git run code.
    #[error(
        "{} lies in a .git directory, which only git steps write to: choose another path",
        shown(path)
    )]
    GitDirectory {
        /// What was to be written.
        path: PathBuf,
    },
    /// The directory itself is not for users to replace or remove.
    #[error("cannot {action} the work directory itself: name a path inside it")]
    Root {
        /// What was tried.
        action: &'static str,
    },
    /// A directory cannot hold its own copy.
    #[error("cannot copy {} into itself: choose a path outside it", shown(path))]
    IntoItself {
        /// The directory.
        path: PathBuf,
    },
    /// A link that leads out of the work directory, where that is not the same as leading nowhere.
    #[error("{} leads outside the work directory", shown(path))]
    Outside {
        /// The path as it was given.
        path: PathBuf,
    },
    /// A device, a socket or a pipe.
    #[error("{} is neither a file nor a directory", shown(path))]
    Special {
        /// What it was.
        path: PathBuf,
    },
    /// A file that is larger than the reader takes.
    #[error("{} is larger than {limit} bytes, the most that is read here", shown(path))]
    TooLarge {
        /// What was read.
        path: PathBuf,
        /// The most that is read.
        limit: u64,
    },
    /// A file that is not text.
    #[error("{} is not UTF-8 text", shown(path))]
    NotText {
        /// What was read.
        path: PathBuf,
    },
    /// Links that lead to each other, or a path that changes while it is walked.
    #[error("{} leads through too many symbolic links", shown(path))]
    TooManyLinks {
        /// The path as it was given.
        path: PathBuf,
    },
    /// More directories in each other than we hold open.
    #[error("{} is nested more than {limit} directories deep", shown(path))]
    TooDeep {
        /// Where that was found.
        path: PathBuf,
        /// How deep is fine.
        limit: usize,
    },
    /// More files than we look at.
    #[error("{} holds more than {limit} files", shown(path))]
    TooMany {
        /// Which directory.
        path: PathBuf,
        /// How many are fine.
        limit: usize,
    },
    /// The files of the Promotion would get too large.
    #[error("the files of this Promotion would need more than their limit of {limit} bytes")]
    Quota {
        /// The limit.
        limit: u64,
    },
    /// Nobody waits for it any more.
    #[error("the work on files was cancelled")]
    Cancelled,
}

impl JailError {
    /// What the system said, about a path; a refusal of ours that came as an I/O error is itself again.
    pub fn io(action: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        match source.into().downcast::<Self>() {
            Ok(ours) => ours,
            Err(source) => Self::Io { action, path: path.to_owned(), source },
        }
    }

    /// Whether there was no such file.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. }
            if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
    }
}

impl From<JailError> for io::Error {
    fn from(error: JailError) -> Self {
        Self::other(error)
    }
}

fn shown(path: &Path) -> std::path::Display<'_> {
    if path.as_os_str().is_empty() { Path::new(".").display() } else { path.display() }
}
