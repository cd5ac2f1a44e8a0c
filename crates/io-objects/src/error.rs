//! What can go wrong with a place for objects. No text here holds a credential.

use std::{fmt, io, path::PathBuf};

use http::StatusCode;
use io_http::outbound::{self, TlsError};
use thiserror::Error;

use crate::NoKeys;

/// What was asked of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Put,
    Get,
    List,
    Delete,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Put => "put",
            Self::Get => "get",
            Self::List => "list",
            Self::Delete => "delete",
        })
    }
}

/// Why something did not happen.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no client for it.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// There are no keys that open it.
    #[error("cannot enter {place}")]
    NoKeys { place: String, source: NoKeys },
    /// The key is none.
    #[error("{key:?} is no key of an object")]
    Key { key: String },
    /// There is no such object.
    #[error("{place} has no {key}")]
    Missing { place: String, key: String },
    /// There was no answer.
    #[error("cannot {action} {key} in {place}")]
    Network { place: String, action: Action, key: String, source: outbound::Error },
    /// The answer was no.
    #[error("cannot {action} {key} in {place}: {}{}", status.as_u16(), Told(told))]
    Refused { place: String, action: Action, key: String, status: StatusCode, told: Vec<String> },
    /// The answer means nothing.
    #[error("{place} answers with a list that cannot be read: {why}")]
    List { place: String, why: String },
    /// A file or directory failed.
    #[error("{}", path.display())]
    File { path: PathBuf, source: io::Error },
}

impl Error {
    /// Whether keys are missing, and nobody is known who would ever give any.
    pub fn lacks_keys(&self) -> bool {
        matches!(self, Self::NoKeys { source, .. } if source.is_final)
    }
}

/// The words of a server.
struct Told<'a>(&'a [String]);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| write!(f, ": {part}"))
    }
}
