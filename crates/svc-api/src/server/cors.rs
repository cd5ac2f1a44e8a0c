//! Calls from pages of other origins: none, unless a developer asks for all of them.

use axum::{body::Body, response::Response};
use http::{HeaderValue, Method, Request, StatusCode, header};

use crate::api::Api;

/// The answer to a browser that asks before it calls.
pub(super) fn preflight<B>(api: &Api, request: &Request<B>) -> Option<Response> {
    let asks = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if !asks || !api.settings().permissive_cors {
        return None;
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("DELETE, GET, PATCH, POST, PUT"),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("Authorization, Content-Type"),
    );
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    Some(response)
}
