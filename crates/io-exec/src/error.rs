//! Why a command did not do its work.

use std::{io, time::Duration};

/// A command that could not start, failed or was ended. Nothing here holds a secret that the command was given.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program is missing or may not be run.
    #[error("{command} could not be started")]
    Start {
        /// The command's name.
        command: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It ran and said no.
    #[error("{command} failed with {status}: {stderr}")]
    Failed {
        /// The command's name.
        command: String,
        /// `exit status: 128`, or the signal.
        status: String,
        /// The last lines it printed to stderr, in one line.
        stderr: String,
    },
    /// It did not end within its deadline.
    #[error("{command} was ended because it took longer than {} s", after.as_secs())]
    Deadline {
        /// The command's name.
        command: String,
        /// The deadline.
        after: Duration,
    },
    /// It showed no progress.
    #[error("{command} was ended because it made no progress for {} s", quiet.as_secs())]
    Stalled {
        /// The command's name.
        command: String,
        /// For how long it was quiet.
        quiet: Duration,
    },
    /// Its caller gave up, or the process is stopping.
    #[error("{command} was cancelled")]
    Cancelled {
        /// The command's name.
        command: String,
    },
    /// It printed more than it may.
    #[error("{command} was ended because it printed more than {limit} bytes")]
    TooMuchOutput {
        /// The command's name.
        command: String,
        /// How much it may print.
        limit: usize,
    },
    /// The system lost track of the child.
    #[error("{command} could not be waited for")]
    Wait {
        /// The command's name.
        command: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl Error {
    /// The last lines of stderr of a command that failed by itself.
    pub fn stderr(&self) -> &str {
        match self {
            Self::Failed { stderr, .. } => stderr,
            _ => "",
        }
    }
}
