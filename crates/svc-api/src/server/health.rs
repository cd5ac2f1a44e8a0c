//! Whether the server lives and can work.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, Method, StatusCode, header};

use crate::api::Api;

/// The mark of an answer about health. That a server is not ready yet is no mistake of it.
#[derive(Clone, Copy)]
pub(super) struct Probe;

/// The answer to a question about health; `None` when the path is no such question.
pub(super) fn answer(api: &Api, method: &Method, path: &str) -> Option<Response> {
    let unready = match path {
        // Upstream's one probe, for everything: it must not fail because something else does.
        "/healthz" | "/livez" => None,
        "/readyz" => api.unready(),
        _ => return None,
    };
    Some(respond(method, unready))
}

pub(super) fn respond(method: &Method, unready: Option<String>) -> Response {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let (status, text) = match unready {
        None => (StatusCode::OK, "ok".to_owned()),
        Some(reason) => (StatusCode::SERVICE_UNAVAILABLE, reason),
    };
    let body = if method == Method::HEAD { String::new() } else { text };
    let mut response = (status, body).into_response();
    response.extensions_mut().insert(Probe);
    response
}
