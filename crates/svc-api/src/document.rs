//! A JSON document on its way out: with an ETag where it has a version, packed where the client
//! takes that, and not at all where the client has it already.

use std::sync::{Arc, OnceLock};

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;

use crate::{
    api_error::{ApiError, ApiResult},
    encoding::Encoding,
};

/// Smaller documents are not worth the effort.
const MIN_PACKED_BYTES: usize = 1024;
/// How documents are packed, the better way first.
const OFFERED: [Encoding; 2] = [Encoding::Zstd, Encoding::Gzip];

/// A document. Clones share what was packed.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    plain: Bytes,
    packed: Arc<Packed>,
    etag: Option<String>,
    status: StatusCode,
}

/// What was packed, in either way.
#[derive(Debug, Default)]
struct Packed {
    zstd: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
}

impl Packed {
    fn of(&self, encoding: Encoding, plain: &[u8]) -> Bytes {
        let kept = match encoding {
            Encoding::Zstd => &self.zstd,
            Encoding::Gzip => &self.gzip,
        };
        kept.get_or_init(|| encoding.pack(plain)).clone()
    }
}

impl Document {
    /// JSON that was written already.
    pub(crate) fn of_bytes(plain: impl Into<Bytes>) -> Self {
        Self { plain: plain.into(), packed: Arc::default(), etag: None, status: StatusCode::OK }
    }

    /// A value as JSON.
    pub(crate) fn of(value: &impl Serialize) -> ApiResult<Self> {
        serde_json::to_vec(value).map(Self::of_bytes).map_err(ApiError::internal)
    }

    /// The same document, which changes only with `version`.
    pub(crate) fn with_version(self, version: impl std::fmt::Display) -> Self {
        Self { etag: Some(format!("W/\"{version}\"")), ..self }
    }

    /// The same document with another status of success.
    pub(crate) fn with_status(self, status: u16) -> Self {
        Self { status: StatusCode::from_u16(status).unwrap_or(StatusCode::OK), ..self }
    }

    /// Headers and body as this client wants them.
    pub(crate) fn answer(&self, request: &HeaderMap, response: &mut Response) {
        let headers = response.headers_mut();
        // The router took the body for empty.
        headers.remove(header::CONTENT_LENGTH);
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding, Authorization"));
        if let Some(etag) = self.etag.as_ref().and_then(|etag| HeaderValue::from_str(etag).ok()) {
            headers.insert(header::ETAG, etag);
            // It may be kept, but must be asked for again.
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        }
        if self.is_known(request) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return;
        }
        let content_type = HeaderValue::from_static("application/json; charset=utf-8");
        headers.insert(header::CONTENT_TYPE, content_type);
        let encoding = Encoding::choose(request, &OFFERED);
        let body = match encoding.filter(|_| self.plain.len() >= MIN_PACKED_BYTES) {
            Some(encoding) => {
                headers.insert(header::CONTENT_ENCODING, encoding.header());
                self.packed.of(encoding, &self.plain)
            }
            None => self.plain.clone(),
        };
        *response.body_mut() = Body::from(body);
    }

    /// Whether the client has this version.
    fn is_known(&self, request: &HeaderMap) -> bool {
        let Some(etag) = &self.etag else { return false };
        let known = request.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
        known.is_some_and(|known| {
            known.split(',').any(|tag| tag.trim() == "*" || strong(tag) == strong(etag))
        })
    }
}

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status;
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn answer(document: &Document, request: &[(header::HeaderName, &'static str)]) -> Response {
        let mut headers = HeaderMap::new();
        for (name, value) in request {
            headers.insert(name, HeaderValue::from_static(value));
        }
        let mut response = Response::new(Body::empty());
        document.answer(&headers, &mut response);
        response
    }

    async fn body(response: Response) -> Bytes {
        axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap()
    }

    #[tokio::test]
    async fn a_large_document_is_packed_for_those_who_take_it() {
        let document = Document::of_bytes("x".repeat(5_000));
        let packed = answer(&document, &[(header::ACCEPT_ENCODING, "deflate, gzip;q=0.5")]);
        assert_eq!(packed.headers()[header::CONTENT_ENCODING], "gzip");
        let mut text = String::new();
        let bytes = body(packed).await;
        assert!(bytes.len() < 100);
        flate2::read::GzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
        assert_eq!(text.len(), 5_000);
        let denser = answer(&document, &[(header::ACCEPT_ENCODING, "gzip, zstd")]);
        assert_eq!(denser.headers()[header::CONTENT_ENCODING], "zstd");
        assert_eq!(zstd::bulk::decompress(&body(denser).await, 10_000).unwrap().len(), 5_000);
        for accepted in ["", "br", "gzip;q=0"] {
            let plain = answer(&document, &[(header::ACCEPT_ENCODING, accepted)]);
            assert_eq!(body(plain).await.len(), 5_000, "{accepted}");
        }
    }

    #[tokio::test]
    async fn a_client_that_has_the_version_gets_no_body() {
        let document = Document::of_bytes("{}").with_version(7);
        assert_eq!(answer(&document, &[]).headers()[header::ETAG], "W/\"7\"");
        for (known, status) in [
            ("W/\"7\"", 304),
            ("\"7\"", 304),
            ("*", 304),
            ("W/\"6\", W/\"7\"", 304),
            ("W/\"6\"", 200),
        ] {
            let response = answer(&document, &[(header::IF_NONE_MATCH, known)]);
            assert_eq!(response.status().as_u16(), status, "{known}");
        }
    }
}
