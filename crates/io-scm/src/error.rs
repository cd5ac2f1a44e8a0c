//! What can go wrong with a provider, in sentences without secrets.

use std::time::Duration;

use io_http::outbound;

use crate::Provider;

/// Why a provider could not be asked, or gave no usable answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error(
        "no provider is known for {url}: set provider to azure, bitbucket, gitea, github or gitlab, or have an operator add the host to GIT_PROVIDER_HOSTS"
    )]
    UnknownProvider { url: String },
    #[error("{url} is not the address of a repository at {provider}: {expected}")]
    Address { provider: Provider, url: String, expected: &'static str },
    #[error(
        "{provider} takes no anonymous requests for {repository}: add a Git credential with a token for it to the Project"
    )]
    TokenMissing { provider: Provider, repository: String },
    #[error(transparent)]
    Tls(#[from] outbound::TlsError),
    #[error("{method:?} is no merge method of {provider}: set mergeMethod to one of {known}")]
    MergeMethod { provider: Provider, method: String, known: String },
    #[error(
        "{provider} knows no label {names} in {repository}: create what is missing there first"
    )]
    UnknownLabels { provider: Provider, repository: String, names: String },
    #[error("pull request {number} of {repository} at {provider} cannot be merged: {reason}")]
    NotMergeable { provider: Provider, repository: String, number: u64, reason: String },
    #[error("{provider} could not {action} in {repository}: {cause}")]
    Call { provider: Provider, repository: String, action: String, cause: Cause },
}

/// Why one request came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    #[error(
        "it refuses the {} (HTTP {status}{}); check that the token is valid and has the rights for pull requests and contents of this repository",
        if *.anonymous { "anonymous request" } else { "token" }, Said(.said)
    )]
    Unauthorized { status: u16, said: String, anonymous: bool },
    #[error(
        "it does not exist, or the credential may not see it (HTTP {status}{}); check repoURL, the number and the token",
        Said(.said)
    )]
    NotFound { status: u16, said: String },
    #[error("it refuses (HTTP {status}{}); put right what it names", Said(.said))]
    Refused { status: u16, said: String },
    #[error("it moved (HTTP {status}); set repoURL to its new address")]
    Moved { status: u16 },
    #[error("too many requests (HTTP {status}); they are sent again later")]
    RateLimited { status: u16, after: Option<Duration> },
    #[error("it has a problem of its own (HTTP {status}{}); it is asked again later", Said(.said))]
    Unavailable { status: u16, said: String, after: Option<Duration> },
    #[error("{0}; check repoURL, and that the host of the API can be reached from here")]
    Network(outbound::Error),
    #[error(
        "its answer makes no sense ({problem}); check that repoURL and provider belong together"
    )]
    Nonsense { problem: String },
}

/// What a server said, after a colon if it said anything.
struct Said<'a>(&'a str);

impl std::fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": {}", self.0) }
    }
}

impl Error {
    /// Whether the same call may succeed later without anybody acting.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Call { cause, .. } => cause.is_temporary(),
            _ => false,
        }
    }

    /// How long the provider asked to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Call {
                cause: Cause::RateLimited { after, .. } | Cause::Unavailable { after, .. },
                ..
            } => *after,
            _ => None,
        }
    }

    /// The status and the words with which the provider refused what was asked.
    pub(crate) fn refusal(&self) -> Option<(u16, &str)> {
        match self {
            Self::Call { cause: Cause::Refused { status, said }, .. } => Some((*status, said)),
            _ => None,
        }
    }

    /// Whether what was asked for is not there.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Call { cause: Cause::NotFound { .. }, .. })
    }
}

impl From<outbound::Error> for Cause {
    fn from(error: outbound::Error) -> Self {
        Self::Network(error)
    }
}

impl Cause {
    fn is_temporary(&self) -> bool {
        match self {
            // Nonsense may be the answer of a gateway on the way; the next one may be the service's own.
            Self::RateLimited { .. } | Self::Unavailable { .. } | Self::Nonsense { .. } => true,
            Self::Network(error) => error.is_temporary(),
            Self::Unauthorized { .. }
            | Self::NotFound { .. }
            | Self::Refused { .. }
            | Self::Moved { .. } => false,
        }
    }
}
