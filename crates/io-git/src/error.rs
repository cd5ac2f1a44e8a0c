//! What can go wrong with a repository, one sentence each. No text here holds a secret.

use std::{fmt, io, time::Duration};

use io_http::outbound;

/// Longest piece of a server's own words that a message repeats.
const REMOTE_WORDS: usize = 400;

/// Why a repository could not be listed, fetched or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The URL cannot be used as written.
    #[error("the repository URL cannot be used: {reason}")]
    Address {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The credential cannot be used as it is.
    #[error("the credential of the repository cannot be used: {reason}")]
    Login {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The host has an address that is never dialled, cannot be reached, is too slow or breaks off.
    #[error(transparent)]
    Transport(#[from] outbound::Error),
    /// The TLS settings of the remote cannot be used.
    #[error(transparent)]
    Tls(#[from] outbound::TlsError),
    /// No connection over SSH, or one that broke off.
    #[error("{host} could not be reached: {reason}")]
    Unreachable {
        /// The host.
        host: String,
        /// The last words of the program that tried.
        reason: String,
    },
    /// The server wants another credential, or one at all.
    #[error("{host} refused {offered}")]
    Credential {
        /// The host.
        host: String,
        /// What it was offered.
        offered: Offered,
    },
    /// The server's SSH key is not the known one.
    #[error("the SSH host key of {host} is not the one in the known hosts: {reason}")]
    HostKey {
        /// The host.
        host: String,
        /// The last words of ssh.
        reason: String,
    },
    /// There is no such repository, or it is hidden from this credential.
    #[error("{repository} was not found, or the credential may not see it")]
    NotFound {
        /// The repository's address.
        repository: String,
    },
    /// A ref is not there (any more).
    #[error("{repository} has no {name}")]
    NoSuchRef {
        /// The repository's address.
        repository: String,
        /// The full name of the ref.
        name: String,
    },
    /// The server answered, but not with what was asked.
    #[error("{host} answered with status {status}")]
    Status {
        /// The host.
        host: String,
        /// The HTTP status.
        status: u16,
    },
    /// Nothing arrived for too long.
    #[error("the fetch of {repository} was ended because nothing arrived for {} s", quiet.as_secs())]
    Stalled {
        /// The repository's address.
        repository: String,
        /// For how long.
        quiet: Duration,
    },
    /// It took too long in all.
    #[error("{repository} did not finish its answer within {} s", after.as_secs())]
    Deadline {
        /// The repository's address.
        repository: String,
        /// The limit.
        after: Duration,
    },
    /// The repository is larger than a limit of ours.
    #[error("{repository} has more than {limit} {unit}, which is the limit here")]
    TooLarge {
        /// The repository's address.
        repository: String,
        /// The limit.
        limit: u64,
        /// What is counted.
        unit: &'static str,
    },
    /// What the server sent is not Git's protocol.
    #[error("{host} does not answer as a Git server: {reason}")]
    Protocol {
        /// The host.
        host: String,
        /// What was unexpected.
        reason: String,
    },
    /// The local copy is damaged; the next fetch builds it again.
    #[error("the local copy of {repository} is damaged and will be fetched again: {reason}")]
    Corrupt {
        /// The repository's address.
        repository: String,
        /// What was found.
        reason: String,
    },
    /// `git` failed in a way that no other case names.
    #[error("{repository} could not be fetched: {reason}")]
    Git {
        /// The repository's address.
        repository: String,
        /// Its last words.
        reason: String,
    },
    /// We are stopping.
    #[error("the work on {repository} was interrupted because the process is stopping")]
    Interrupted {
        /// The repository's address.
        repository: String,
    },
    /// Another process works on the same store.
    #[error("the repository store {path} is in use by another process")]
    InUse {
        /// Where it is.
        path: String,
    },
    /// Our own disk or programs.
    #[error("{what}: {reason}")]
    Local {
        /// What was tried.
        what: &'static str,
        /// The system's words.
        reason: String,
    },
}

/// What a server was offered before it refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Nothing.
    Nothing,
    /// A user name and password.
    Password,
    /// An SSH key.
    Key,
}

impl fmt::Display for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "access without a credential",
            Self::Password => "the user name and password",
            Self::Key => "the SSH key",
        })
    }
}

impl Error {
    /// Whether the same request may succeed a little later without anybody's doing.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Transport(error) => error.is_temporary(),
            Self::Status { status, .. } => *status == 429 || *status >= 500,
            Self::Unreachable { .. }
            | Self::Stalled { .. }
            | Self::Deadline { .. }
            | Self::Corrupt { .. }
            | Self::Interrupted { .. } => true,
            _ => false,
        }
    }

    pub(crate) fn local(what: &'static str, error: &io::Error) -> Self {
        Self::Local { what, reason: error.to_string() }
    }
}

/// A server's own words, cut and without control characters.
pub(crate) fn remote_words(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(REMOTE_WORDS).collect()
}
