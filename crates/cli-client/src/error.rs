//! What can go wrong between the command line and the server.

use serde_json::Value;

use crate::TransportError;

/// The longest text of a server that is repeated; the rest is of no help.
const LONGEST_MESSAGE: usize = 4_096;

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The server was not reached, or not understood.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The server said no.
    #[error("{0}")]
    Api(ApiError),
    /// The answer is not what the route promises.
    #[error("the answer of the server cannot be read: {0}")]
    Unreadable(String),
    /// The answer is larger than any honest one.
    #[error("the answer of the server is larger than {0} bytes")]
    TooLarge(usize),
    /// A name that cannot be in a path.
    #[error("{0:?} cannot be a name")]
    Name(String),
    /// A stream told that it failed.
    #[error("watch failed: {0}")]
    Watch(String),
    /// A stream ended and could not be opened again.
    #[error("unexpected end of watch stream")]
    WatchEnded,
    /// An identity provider did not do its part.
    #[error("{0}")]
    Oidc(String),
}

impl Error {
    /// The status code, where the server gave one.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Api(error) => Some(error.status),
            _ => None,
        }
    }

    /// Whether the same request may succeed a little later.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Transport(error) => error.is_temporary(),
            Self::Api(error) => matches!(error.status, 429 | 500 | 502 | 503 | 504),
            _ => false,
        }
    }

    /// What a curious user may want to know beyond the message.
    pub fn details(&self) -> Option<String> {
        let Self::Api(error) = self else { return None };
        let mut parts = vec![format!("status {}", error.status)];
        parts.extend(error.code.as_ref().map(|code| format!("code {code}")));
        parts.extend(error.request_id.as_ref().map(|id| format!("request {id}")));
        Some(parts.join(", "))
    }
}

/// A refusal of the server: `{"error","code","requestId"}`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// What the server says.
    pub message: String,
    /// The name of the error, which a script may look at.
    pub code: Option<String>,
    /// By which the server's log knows the request.
    pub request_id: Option<String>,
}

impl ApiError {
    /// Reads an error body. What is not one, a proxy wrote: its status is told with the beginning of its text.
    pub fn read(status: u16, body: &[u8], request_id: Option<&str>) -> Self {
        let parsed: Option<Value> = serde_json::from_slice(body).ok();
        let field = |name: &str| {
            let text = parsed.as_ref()?.get(name)?.as_str()?;
            (!text.is_empty()).then(|| printable(text))
        };
        let message = field("error").unwrap_or_else(|| foreign_message(status, body));
        let request_id = field("requestId").or_else(|| request_id.map(printable));
        Self { status, message, code: field("code"), request_id }
    }
}

fn foreign_message(status: u16, body: &[u8]) -> String {
    let reason = http::StatusCode::from_u16(status).ok().and_then(|code| code.canonical_reason());
    let line = match reason {
        Some(reason) => format!("{status} {reason}"),
        None => status.to_string(),
    };
    let text = String::from_utf8_lossy(body);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if first.is_empty() || first.starts_with('<') {
        return line;
    }
    format!("{line}: {}", printable(&first.chars().take(200).collect::<String>()))
}

/// Text of a server must not move the cursor of a terminal.
fn printable(text: &str) -> String {
    let keeps = |c: &char| *c == '\n' || *c == '\t' || !c.is_control();
    text.chars().filter(keeps).take(LONGEST_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_message_is_shown_and_the_rest_is_kept() {
        let body = br#"{"error":"stages \"x\" not found","code":"NotFound","requestId":"r-1"}"#;
        let error = Error::Api(ApiError::read(404, body, None));
        assert_eq!(error.to_string(), "stages \"x\" not found");
        assert_eq!(error.details().as_deref(), Some("status 404, code NotFound, request r-1"));
    }

    #[test]
    fn what_a_proxy_says_is_told_with_its_status() {
        let message = |status, body: &[u8]| ApiError::read(status, body, None).message;
        assert_eq!(message(502, b"<html>bad</html>"), "502 Bad Gateway");
        assert_eq!(message(404, b"404 page not found"), "404 Not Found: 404 page not found");
        assert_eq!(message(503, b""), "503 Service Unavailable");
    }

    #[test]
    fn a_message_cannot_drive_the_terminal() {
        let error = ApiError::read(400, b"{\"error\":\"a\\u001b[2Jb\"}", Some("id"));
        assert_eq!((error.message.as_str(), error.request_id.as_deref()), ("a[2Jb", Some("id")));
    }
}
