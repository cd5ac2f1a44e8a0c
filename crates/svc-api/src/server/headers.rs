//! Headers of every response.

use axum::response::Response;
use core_rules::version::skew;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::request_id;
use crate::api::Api;

/// What browsers may do with an answer: nothing but hand it to the page that asked.
const PROTECTION: [(HeaderName, &str); 4] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::REFERRER_POLICY, "no-referrer"),
];
const TRANSPORT: &str = "max-age=31536000; includeSubDomains";
/// What the command line says its version is.
const CLIENT_VERSION: &str = "x-kargo-cli-version";
/// What people should know about their request beside its answer.
const WARNING: HeaderName = HeaderName::from_static("x-kargo-warning");

/// The mark of a response that another program wrote: it says itself what browsers may do with it.
#[derive(Clone, Copy)]
pub(super) struct Foreign;

/// Sets the headers that protect users of browsers.
pub(super) fn protect(api: &Api, asked: &HeaderMap, response: &mut Response) {
    let is_ours = response.extensions().get::<Foreign>().is_none();
    let headers = response.headers_mut();
    for (name, value) in PROTECTION.into_iter().filter(|_| is_ours) {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if is_ours && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if api.settings().tls.is_some() {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(TRANSPORT));
    }
    if api.settings().permissive_cors && asked.contains_key(header::ORIGIN) {
        // Tokens travel in a header that the page sets itself, so no credentials of the browser are needed.
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    }
}

/// Warns a command line that is much older or newer than the server.
pub(super) fn warn(api: &Api, asked: &HeaderMap, response: &mut Response) {
    let client = asked.get(CLIENT_VERSION).and_then(|version| version.to_str().ok());
    let warning = client.and_then(|client| skew(client, &api.version().version));
    let warning = warning.and_then(|warning| HeaderValue::from_str(&warning).ok());
    response.headers_mut().extend(warning.map(|warning| (WARNING, warning)));
}

/// Tells the client what the request is called in the log.
pub(super) fn name(id: &str, response: &mut Response) {
    if let Ok(id) = HeaderValue::from_str(id) {
        response.headers_mut().insert(HeaderName::from_static(request_id::HEADER), id);
    }
}
