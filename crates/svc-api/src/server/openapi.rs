//! The document of the REST API, as it is committed. Whoever builds a client may read it without a login.

use std::sync::OnceLock;

use axum::response::{IntoResponse, Response};
use http::Method;

use crate::{api::Api, api_error::ApiError, document::Document};

const PATH: &str = "/openapi.json";
const TEXT: &str = include_str!("../../../../openapi/rest/openapi.json");

/// Packed once for everybody.
static DOCUMENT: OnceLock<Document> = OnceLock::new();

/// The answer to a question for the document; `None` when the path is no such question.
pub(super) fn answer(api: &Api, method: &Method, path: &str) -> Option<Response> {
    if path != PATH {
        return None;
    }
    if *method != Method::GET {
        return Some(ApiError::method_not_allowed().into_response());
    }
    let version = || format!("{}-{}", api.version().version, TEXT.len());
    let document = DOCUMENT.get_or_init(|| Document::of_bytes(TEXT).with_version(version()));
    Some(document.clone().into_response())
}
