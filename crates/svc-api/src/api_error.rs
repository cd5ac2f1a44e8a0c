//! What a request is refused with, and how that becomes a response. The only place that does so.
//!
//! A handler returns an [`ApiError`]; its response carries it along, and the front of the server
//! writes the body, which names the request, and the log, which has the cause.

use std::{sync::Arc, time::Duration};

use api_rest::ErrorBody;
use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use core_rules::{
    fault::{self, Fault},
    resource::Step,
};
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value};

/// How long a client waits before it asks a server again that could not ask others.
const RETRY: Duration = Duration::from_secs(2);

/// The outcome of a handler.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

/// A refusal.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: String,
    message: String,
    details: Map<String, Value>,
    retry_after: Option<Duration>,
    /// For the log alone.
    cause: Option<String>,
}

impl ApiError {
    fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self {
            status,
            code: code.to_owned(),
            message: message.into(),
            details: Map::new(),
            retry_after: None,
            cause: None,
        }
    }

    /// There is no token.
    pub(crate) fn no_token() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "Unauthorized", "no token provided")
    }

    /// The token is not taken. Why is for the log: a guesser must not learn which check failed.
    pub(crate) fn invalid_token(cause: impl ToString) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "Unauthorized", "invalid token").because(cause)
    }

    /// The request makes no sense.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BadRequest", message)
    }

    /// The caller may not.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "Forbidden", message)
    }

    /// It is not there.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NotFound", message)
    }

    /// What is stored is in the way.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "Conflict", message)
    }

    /// The route has other methods.
    pub(crate) fn method_not_allowed() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", "method not allowed")
    }

    /// The body is larger than the route takes.
    pub(crate) fn too_large() -> Self {
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        Self::new(status, "RequestEntityTooLarge", "request body too large")
    }

    /// The caller asks too often.
    pub(crate) fn too_many(retry_after: Duration) -> Self {
        let status = StatusCode::TOO_MANY_REQUESTS;
        let error = Self::new(status, "TooManyRequests", "too many requests; try again later");
        Self { retry_after: Some(retry_after), ..error }
    }

    /// The installation does not offer this.
    pub(crate) fn not_enabled(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_IMPLEMENTED, "NotImplemented", message)
    }

    /// Somebody whom the server must ask did not answer.
    pub(crate) fn unavailable(message: impl Into<String>, cause: impl ToString) -> Self {
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable", message);
        Self { retry_after: Some(RETRY), ..error }.because(cause)
    }

    /// A mistake of ours.
    pub(crate) fn internal(cause: impl ToString) -> Self {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self::new(status, "InternalError", "internal server error").because(cause)
    }

    /// A rule says no.
    pub(crate) fn refused(refusal: impl Fault) -> Self {
        let class = refusal.class();
        let status = StatusCode::from_u16(class.code()).unwrap_or(StatusCode::BAD_REQUEST);
        Self::new(status, &format!("{class:?}"), fault::message(&refusal))
    }

    /// The same error, with what programs may read of it.
    pub(crate) fn with_details(self, details: Map<String, Value>) -> Self {
        Self { details, ..self }
    }

    /// The same error, told by what it kept from happening.
    pub(crate) fn prefixed(self, what: &str) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }

    /// The same error, told by what was being done; the step ends with its own colon.
    pub(crate) fn during(self, step: Step) -> Self {
        Self { message: format!("{step}{}", self.message), ..self }
    }

    fn because(self, cause: impl ToString) -> Self {
        Self { cause: Some(cause.to_string()), ..self }
    }

    /// The status of the response.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// What the log says of it.
    pub(crate) fn reason(&self) -> &str {
        self.cause.as_deref().unwrap_or(&self.message)
    }

    /// The text for the caller.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The body, naming the request.
    pub(crate) fn body(&self, request_id: &str) -> Vec<u8> {
        let body = ErrorBody {
            error: self.message.clone(),
            code: self.code.clone(),
            details: self.details.clone(),
            request_id: request_id.to_owned(),
        };
        serde_json::to_vec(&body).unwrap_or_default()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status;
        if let Some(wait) = self.retry_after {
            let seconds = HeaderValue::from(wait.as_secs().max(1));
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// What the Kubernetes API says is told as it is, except what concerns our own credentials and its own mistakes.
impl From<kube::Error> for ApiError {
    fn from(error: kube::Error) -> Self {
        let kube::Error::Api(status) = &error else {
            return Self::unavailable(
                "the Kubernetes API cannot be reached",
                fault::message(&error),
            );
        };
        match status.code {
            401 => Self::unavailable("the Kubernetes API refuses this server", &status.message),
            500 => Self::internal(&status.message),
            502..=504 => Self::unavailable("the Kubernetes API does not answer", &status.message),
            code => {
                let code = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                Self::new(code, &status.reason, status.message.clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    fn answered(code: u16, reason: &str, message: &str) -> ApiError {
        let status = Status {
            code,
            reason: reason.to_owned(),
            message: message.to_owned(),
            ..Status::default()
        };
        kube::Error::Api(Box::new(status)).into()
    }

    #[test]
    fn what_kubernetes_does_not_find_keeps_its_text() {
        let text = "stages.kargo.akuity.io \"fake-stage\" not found";
        let error = answered(404, "NotFound", text);
        assert_eq!((error.status().as_u16(), error.message()), (404, text));
        let body: Value = serde_json::from_slice(&error.body("r")).unwrap();
        assert_eq!(body, serde_json::json!({"error": text, "code": "NotFound", "requestId": "r"}));
    }

    #[test]
    fn mistakes_are_not_explained_to_callers() {
        for error in [ApiError::internal("password is x"), answered(500, "", "password is x")] {
            assert_eq!(error.message(), "internal server error");
            assert_eq!(error.reason(), "password is x");
        }
    }

    #[test]
    fn which_check_a_token_failed_is_for_the_log_alone() {
        let error = ApiError::invalid_token("it expired");
        assert_eq!((error.message(), error.reason()), ("invalid token", "it expired"));
        assert!(!String::from_utf8(error.body("r")).unwrap().contains("expired"));
    }

    #[test]
    fn our_own_credentials_are_none_of_the_callers_business() {
        let error = answered(401, "Unauthorized", "Unauthorized");
        assert_eq!(error.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(error.into_response().headers().contains_key(header::RETRY_AFTER));
    }
}
