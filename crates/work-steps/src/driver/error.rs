//! Why a session cannot go on: nothing of this is the fault of a step.

use std::{io, path::PathBuf};

use super::journal::JournalError;

/// Why a session cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The work directory cannot be used.
    #[error("the work directory {path} cannot be used")]
    Directory {
        /// Where it is.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// What names the work directory could lead anywhere.
    #[error("{0:?} cannot name a work directory: only letters, digits, dots and dashes can")]
    Uid(String),
    /// Progress could not be written down, so nothing further may happen.
    #[error("the progress of the promotion could not be written down")]
    Journal(#[source] JournalError),
}
