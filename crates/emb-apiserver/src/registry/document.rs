//! A document made of everything that is served, with the tag by which clients know whether theirs is current.

use bytes::Bytes;
use emb_kinds::openapi;
use http::{HeaderValue, Response, StatusCode, header};

use crate::{
    request::Info,
    response::{Body, document},
};

/// The bytes of a document and their hash.
pub(crate) struct Document {
    body: Bytes,
    hash: String,
}

impl Document {
    /// Takes a document as it is sent.
    pub(crate) fn new(body: Bytes) -> Self {
        Self { hash: openapi::hash(&body), body }
    }

    /// The hash of the bytes.
    pub(crate) fn hash(&self) -> &str {
        &self.hash
    }

    /// The reply: the document, or 304 when the client has it.
    pub(crate) fn respond(&self, info: &Info, content_type: &'static str) -> Response<Body> {
        let tag = format!("\"{}\"", self.hash);
        let known = info.header("if-none-match").split(',').any(|known| known.trim() == tag);
        let mut response = if known {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            document(StatusCode::OK, content_type, self.body.clone())
        };
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            response.headers_mut().insert(header::ETAG, tag);
        }
        response
    }
}
