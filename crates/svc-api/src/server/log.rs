//! One line per request: quiet for what went well, loud for mistakes of ours.

use std::time::Duration;

use axum::response::Response;
use http::{Method, Request};

use super::health::Probe;
use crate::api_error::ApiError;

/// What is told of a request. Never its query, which may hold more than is good for a log.
pub(super) struct Seen {
    method: Method,
    path: String,
}

impl Seen {
    pub(super) fn of<B>(request: &Request<B>) -> Self {
        Self { method: request.method().clone(), path: request.uri().path().to_owned() }
    }
}

/// How loud a line is.
#[derive(Debug, PartialEq, Eq)]
enum Volume {
    Error,
    Info,
    Debug,
}

fn volume(response: &Response) -> Volume {
    if response.extensions().get::<Probe>().is_some() {
        return Volume::Debug;
    }
    match response.status().as_u16() {
        500.. => Volume::Error,
        401 | 403 => Volume::Info,
        _ => Volume::Debug,
    }
}

pub(super) fn write(
    seen: &Seen,
    request_id: &str,
    response: &Response,
    error: Option<&ApiError>,
    took: Duration,
) {
    let status = response.status().as_u16();
    let (method, path, duration) = (&seen.method, &seen.path, format!("{took:?}"));
    let reason = error.map(ApiError::reason).unwrap_or_default();
    match volume(response) {
        Volume::Error => {
            tracing::error!(%method, path, status, duration, request_id, error = reason, "handled request");
        }
        Volume::Info => {
            tracing::info!(%method, path, status, duration, request_id, reason, "refused request");
        }
        Volume::Debug => {
            tracing::debug!(%method, path, status, duration, request_id, "handled request");
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;
    use crate::server::health;

    fn response(status: u16) -> Response {
        Response::builder().status(status).body(Body::empty()).unwrap()
    }

    #[test]
    fn mistakes_are_errors_refusals_are_told_and_the_rest_is_quiet() {
        for (status, expected) in [
            (200, Volume::Debug),
            (404, Volume::Debug),
            (401, Volume::Info),
            (403, Volume::Info),
            (500, Volume::Error),
            (503, Volume::Error),
        ] {
            assert_eq!(volume(&response(status)), expected, "{status}");
        }
    }

    #[test]
    fn a_server_that_is_not_ready_yet_has_made_no_mistake() {
        let unready = health::respond(&Method::GET, Some("not listed yet: stages".to_owned()));
        assert_eq!(unready.status(), 503);
        assert_eq!(volume(&unready), Volume::Debug);
    }
}
