//! A request as the faults see it, and the replies that no server gave.

use std::fmt;

use http::{Method, Request, Response, StatusCode};
use kube::client::Body;
use serde_json::json;

use super::body::WireBody;
use crate::faults::Fault;

/// What a request asks for.
pub(super) struct Asked {
    method: Method,
    uri: String,
    pub(super) is_watch: bool,
    /// Goes on from an earlier reply: a watch from a version, or the next page of a list.
    goes_on: bool,
}

impl Asked {
    pub(super) fn new(request: &Request<Body>) -> Self {
        let query = request.uri().query().unwrap_or_default();
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        let is_watch = matches!(value("watch"), Some("true" | "1"));
        let resumes = is_watch && !matches!(value("resourceVersion"), None | Some("" | "0"));
        Self {
            method: request.method().clone(),
            uri: request.uri().to_string(),
            is_watch,
            goes_on: resumes || value("continue").is_some_and(|token| !token.is_empty()),
        }
    }

    /// The reply of a fault that answers in place of the server.
    pub(super) fn made_up_reply(
        &self,
        strikes: impl Fn(Fault) -> bool,
    ) -> Option<Response<WireBody>> {
        if strikes(Fault::Throttled) {
            return Some(throttled());
        }
        if strikes(Fault::InternalError) {
            let message = "Internal error occurred: simulated";
            return Some(status(StatusCode::INTERNAL_SERVER_ERROR, "InternalError", message));
        }
        if strikes(Fault::Conflict) && matches!(self.method, Method::PUT | Method::PATCH) {
            let message = "Operation cannot be fulfilled: the object has been modified; please apply your changes to the latest version and try again";
            return Some(status(StatusCode::CONFLICT, "Conflict", message));
        }
        (strikes(Fault::WatchExpired) && self.goes_on).then(|| self.expired())
    }

    fn expired(&self) -> Response<WireBody> {
        let message = "too old resource version (simulated)";
        if !self.is_watch {
            return status(StatusCode::GONE, "Expired", message);
        }
        let event =
            json!({"type": "ERROR", "object": document(StatusCode::GONE, "Expired", message)});
        reply(StatusCode::OK, format!("{event}\n"))
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.uri)
    }
}

/// 504, whatever became of the request.
pub(super) fn timeout() -> Response<WireBody> {
    let message = "Timeout: request did not complete within the allotted timeout";
    status(StatusCode::GATEWAY_TIMEOUT, "Timeout", message)
}

fn throttled() -> Response<WireBody> {
    let message = "too many requests, please try again later";
    let mut throttled = status(StatusCode::TOO_MANY_REQUESTS, "TooManyRequests", message);
    throttled.headers_mut().insert(http::header::RETRY_AFTER, 1.into());
    throttled
}

fn status(code: StatusCode, reason: &str, message: &str) -> Response<WireBody> {
    reply(code, document(code, reason, message).to_string())
}

fn document(code: StatusCode, reason: &str, message: &str) -> serde_json::Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "reason": reason, "code": code.as_u16(),
    })
}

fn reply(code: StatusCode, body: String) -> Response<WireBody> {
    let mut reply = Response::new(WireBody::made_up(body));
    *reply.status_mut() = code;
    let json = http::HeaderValue::from_static("application/json");
    reply.headers_mut().insert(http::header::CONTENT_TYPE, json);
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(method: Method, uri: &str) -> Asked {
        let mut request = Request::new(Body::empty());
        *request.method_mut() = method;
        *request.uri_mut() = uri.parse().unwrap();
        Asked::new(&request)
    }

    #[test]
    fn only_what_goes_on_from_earlier_expires() {
        let expired = |uri| asked(Method::GET, uri).made_up_reply(|f| f == Fault::WatchExpired);
        assert!(expired("/api/v1/pods").is_none());
        assert!(expired("/api/v1/pods?watch=true&resourceVersion=0").is_none());
        assert_eq!(expired("/api/v1/pods?watch=true&resourceVersion=5").unwrap().status(), 200);
        assert_eq!(expired("/api/v1/pods?limit=1&continue=x").unwrap().status(), 410);
    }

    #[test]
    fn only_changes_conflict() {
        let conflict = |method| asked(method, "/x").made_up_reply(|f| f == Fault::Conflict);
        assert!(conflict(Method::GET).is_none());
        assert_eq!(conflict(Method::PATCH).unwrap().status(), 409);
    }
}
