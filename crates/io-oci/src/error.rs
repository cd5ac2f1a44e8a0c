//! What can go wrong with a registry or a chart repository, in sentences without secrets.

use std::time::Duration;

use http::StatusCode;
use io_http::outbound;

/// How far a failure reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The tag does not exist (any more).
    Missing,
    /// One tag is broken; others may be read.
    Tag,
    /// The repository or its server as a whole.
    Repository,
}

/// Why a registry or a chart repository gave no usable answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("{0:?} is not the address of an image repository")]
    Repository(String),
    #[error("{0:?} is not a tag")]
    Tag(String),
    #[error(
        "{0:?} names no artifact: write registry/repository:tag or registry/repository@sha256:digest"
    )]
    Reference(String),
    #[error(transparent)]
    Outbound(#[from] outbound::Error),
    #[error(transparent)]
    Tls(#[from] outbound::TlsError),
    #[error("{host} refuses the {} for {what} (HTTP {status})", if *.credential { "credential" } else { "anonymous access" })]
    Unauthorized { host: String, what: String, status: u16, credential: bool },
    #[error("{what} does not exist on {host}")]
    NotFound { host: String, what: String },
    #[error("{host} limits the rate of requests; the next is sent in {} s", .after.as_secs().max(1))]
    RateLimited { host: String, after: Duration },
    #[error("{host} answered HTTP {status} for {what}")]
    Status { host: String, what: String, status: u16 },
    #[error("received unexpected HTTP {status} when querying repository index at {url:?}")]
    IndexStatus { url: String, status: u16 },
    #[error("{what} from {host} cannot be read: {problem}")]
    Malformed { host: String, what: String, problem: String },
    #[error("unknown artifact type: {0}")]
    ArtifactType(String),
    #[error("empty V2 manifest list or OCI index is not supported")]
    EmptyIndex,
    #[error("{host} sent something else than {expected}: its digest is {actual}")]
    Digest { host: String, expected: String, actual: String },
    #[error("{host} sent another number of bytes than the {expected} that {what} has")]
    Length { host: String, what: String, expected: u64 },
    #[error("{what} has no image for {platform}")]
    Platform { what: String, platform: &'static str },
    #[error("{host} accepts the upload of {what} but does not say where to send it")]
    UploadAddress { host: String, what: String },
    #[error(
        "the repository has more than {limit} tags; use a repository with fewer, or follow one tag with the Digest strategy"
    )]
    TooManyTags { limit: usize },
    #[error("{host} asks to log in in no way that is supported")]
    Challenge { host: String },
    #[error("{host} sends log-ins to {realm:?}, which is refused: {reason}")]
    Realm { host: String, realm: String, reason: &'static str },
    #[error(
        "{host} answers in plain HTTP, and a credential is not sent over it; serve it over TLS or set ALLOW_CREDENTIALS_OVER_HTTP"
    )]
    CredentialOverHttp { host: String },
    #[error("error unmarshaling repository index from {url:?}: {problem}")]
    Index { url: String, problem: String },
    #[error("the process is stopping")]
    Stopping,
}

impl Error {
    /// How far the failure reaches, when it came up while one tag was read.
    pub fn scope(&self) -> Scope {
        match self {
            Self::NotFound { .. } => Scope::Missing,
            Self::Malformed { .. }
            | Self::ArtifactType(_)
            | Self::EmptyIndex
            | Self::Digest { .. }
            | Self::Length { .. }
            | Self::Platform { .. }
            | Self::Tag(_)
            | Self::Outbound(outbound::Error::TooLarge { .. }) => Scope::Tag,
            _ => Scope::Repository,
        }
    }

    /// Whether the same call may succeed a little later without anybody acting.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Outbound(error) => error.is_temporary(),
            Self::RateLimited { .. } => true,
            Self::Status { status, .. } | Self::IndexStatus { status, .. } => {
                StatusCode::from_u16(*status).is_ok_and(|status| status.is_server_error())
            }
            _ => false,
        }
    }

    /// Text of a server in a message: short and printable.
    pub(crate) fn quote(text: &str) -> String {
        text.chars().filter(|character| !character.is_control()).take(120).collect()
    }
}
