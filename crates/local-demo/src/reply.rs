//! Answers of the server.

use bytes::Bytes;
use http::{
    HeaderName, HeaderValue, Response, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::Full;
use serde::Serialize;

pub(crate) type Reply = Response<Full<Bytes>>;

/// Content of a type.
pub(crate) fn content(media_type: &'static str, content: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Full::new(content.into()));
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    reply
}

/// A value as JSON.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Reply {
    // Our own values always have a form in JSON.
    let mut reply = content("application/json", serde_json::to_vec(value).unwrap_or_default());
    *reply.status_mut() = status;
    reply
}

/// One line of text.
pub(crate) fn text(status: StatusCode, line: &str) -> Reply {
    let mut reply = content("text/plain; charset=utf-8", format!("{line}\n"));
    *reply.status_mut() = status;
    reply
}

pub(crate) fn not_found() -> Reply {
    text(StatusCode::NOT_FOUND, "not found")
}

/// The same answer with one more header, where its value can be one.
pub(crate) fn with_header(mut reply: Reply, name: &'static str, value: &str) -> Reply {
    if let Ok(value) = HeaderValue::from_str(value) {
        reply.headers_mut().insert(HeaderName::from_static(name), value);
    }
    reply
}
