//! Errors of routes as the codes of gRPC.

use http::StatusCode;
use tonic::{Code, Status};

use crate::api_error::ApiError;

/// The same error, for a client of gRPC.
pub(super) fn of(error: &ApiError) -> Status {
    Status::new(code(error.status()), error.message())
}

fn code(status: StatusCode) -> Code {
    match status {
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => Code::InvalidArgument,
        StatusCode::UNAUTHORIZED => Code::Unauthenticated,
        StatusCode::FORBIDDEN => Code::PermissionDenied,
        StatusCode::NOT_FOUND => Code::NotFound,
        StatusCode::CONFLICT => Code::Aborted,
        StatusCode::PRECONDITION_FAILED => Code::FailedPrecondition,
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::TOO_MANY_REQUESTS => Code::ResourceExhausted,
        StatusCode::NOT_IMPLEMENTED | StatusCode::METHOD_NOT_ALLOWED => Code::Unimplemented,
        StatusCode::SERVICE_UNAVAILABLE => Code::Unavailable,
        StatusCode::GATEWAY_TIMEOUT => Code::DeadlineExceeded,
        _ => Code::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_text_and_tells_whether_to_try_again() {
        for (error, expected) in [
            (ApiError::bad_request("no"), Code::InvalidArgument),
            (ApiError::no_token(), Code::Unauthenticated),
            (ApiError::forbidden("no"), Code::PermissionDenied),
            (ApiError::not_found("no"), Code::NotFound),
            (ApiError::too_large(), Code::ResourceExhausted),
            (ApiError::unavailable("no", "cause"), Code::Unavailable),
            (ApiError::internal("cause"), Code::Internal),
        ] {
            let status = of(&error);
            assert_eq!((status.code(), status.message()), (expected, error.message()));
        }
    }
}
