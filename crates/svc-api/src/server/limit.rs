//! How much a request may hold, and how long it may take.

use std::time::Duration;

use axum::body::Body;
use http::{HeaderMap, Request, header};
use http_body_util::Limited;

use crate::api_error::{ApiError, ApiResult};

/// From the head of a request to the head of its answer; a stream may then go on.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);

pub(super) const BODY: usize = 1024 * 1024;
/// Manifests come by the dozen.
const MANIFESTS: usize = 4 * 1024 * 1024;

fn largest(path: &str) -> usize {
    let is_manifests = path.trim_end_matches('/') == "/v1beta1/resources";
    if is_manifests { MANIFESTS } else { BODY }
}

/// Refuses a body that says it is too large.
pub(super) fn check(path: &str, headers: &HeaderMap) -> ApiResult<()> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let length: u64 = length.and_then(|length| length.parse().ok()).unwrap_or(0);
    let largest = u64::try_from(largest(path)).unwrap_or(u64::MAX);
    if length > largest { Err(ApiError::too_large()) } else { Ok(()) }
}

/// Breaks off a body that turns out to be too large.
pub(super) fn bound(path: &str, request: Request<Body>) -> Request<Body> {
    let limit = largest(path);
    request.map(|body| Body::new(Limited::new(body, limit)))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_body_at_the_limit_passes_and_one_byte_more_does_not() {
        for (path, limit) in [("/v1beta1/login", BODY), ("/v1beta1/resources/", MANIFESTS)] {
            for (length, is_taken) in [(limit, true), (limit + 1, false)] {
                let headers = [(header::CONTENT_LENGTH, HeaderValue::from(length))];
                let checked = check(path, &HeaderMap::from_iter(headers));
                assert_eq!(checked.is_ok(), is_taken, "{path} {length}");
            }
        }
    }
}
