//! The port through which requests leave, and the values that pass it.

use std::{fmt, pin::Pin};

use bytes::Bytes;
use http::Method;

/// A future that a port returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Sends requests. The real one is in the binary.
pub trait Transport: Send + Sync {
    /// Sends one request and returns when the head of the answer is there.
    fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, TransportError>>;
}

/// Whom to believe when a server says who it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Its certificate is checked.
    #[default]
    Verified,
    /// Any certificate will do; the user said so.
    Anyone,
}

impl Trust {
    /// Believes anyone when `skip` is set.
    pub fn skipping(skip: bool) -> Self {
        if skip { Self::Anyone } else { Self::Verified }
    }
}

/// How long the answer may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// It comes at once.
    Answer,
    /// It is a stream that lasts.
    Stream,
}

/// One request.
#[derive(Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The whole address.
    pub url: String,
    /// Names in lower case, and values.
    pub headers: Vec<(&'static str, String)>,
    /// Empty for none.
    pub body: Bytes,
    /// Whom to believe.
    pub trust: Trust,
    /// How long to wait.
    pub patience: Patience,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Headers and bodies hold tokens and passwords.
        write!(f, "{} {}", self.method, self.url)
    }
}

/// The head of an answer, and a body to read.
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The rest.
    pub body: Body,
}

impl Response {
    /// The first header of a name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(candidate, _)| candidate == name);
        named.next().map(|(_, value)| value.as_str())
    }
}

/// A body in pieces.
pub type Body = Box<dyn Chunks>;

/// The pieces of a body, in order.
pub trait Chunks: Send {
    /// The next piece; `None` at the end.
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Bytes>, TransportError>>;
}

/// Why there is no (whole) answer. The text names the host and the reason, never a credential.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// Nobody answers, or the connection broke.
    #[error("{0}")]
    Unreachable(String),
    /// It took too long.
    #[error("{0}")]
    TimedOut(String),
    /// The server could not prove who it is.
    #[error("{0}")]
    Untrusted(String),
    /// The request cannot be sent at all.
    #[error("{0}")]
    Refused(String),
}

impl TransportError {
    /// Whether the same request may succeed a little later.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::TimedOut(_))
    }
}
