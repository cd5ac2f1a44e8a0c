//! The body of a request, as JSON.

use std::error::Error;

use axum::{
    body::Body,
    extract::{FromRequest, Request},
};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    api::Api,
    api_error::{ApiError, ApiResult},
};

/// A body that was read. Fields that are null count as absent.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Api> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &Api) -> Result<Self, ApiError> {
        let body = read(request.into_body()).await?;
        parse(&body).map(Self)
    }
}

/// A body as it came.
pub(crate) struct RawBody(pub(crate) Bytes);

impl FromRequest<Api> for RawBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &Api) -> Result<Self, ApiError> {
        read(request.into_body()).await.map(Self)
    }
}

/// The whole body.
async fn read(body: Body) -> ApiResult<Bytes> {
    match body.collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if is_too_large(&error) => Err(ApiError::too_large()),
        Err(error) => Err(ApiError::bad_request(format!("the body cannot be read: {error}"))),
    }
}

fn is_too_large(error: &(dyn Error + 'static)) -> bool {
    let mut error = Some(error);
    while let Some(cause) = error {
        if cause.is::<LengthLimitError>() {
            return true;
        }
        error = cause.source();
    }
    false
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    if body.trim_ascii().is_empty() {
        // What Go says, and clients may look for.
        return Err(ApiError::bad_request("EOF"));
    }
    let wrong = |error: serde_json::Error| ApiError::bad_request(error.to_string());
    let mut value: Value = serde_json::from_slice(body).map_err(wrong)?;
    drop_nulls(&mut value);
    serde_json::from_value(value).map_err(wrong)
}

/// The depth is that of serde_json's own limit.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use api_rest::body::PromoteToStage;

    use super::*;

    #[test]
    fn nulls_and_unknown_fields_do_not_count_and_mistakes_are_told() {
        let read: PromoteToStage = parse(br#"{"freight":"f","origin":null,"x":1}"#).unwrap();
        assert_eq!((read.freight.as_str(), read.origin.as_str()), ("f", ""));
        let message = |body: &[u8]| parse::<PromoteToStage>(body).unwrap_err().message().to_owned();
        assert_eq!(message(b" "), "EOF");
        assert!(message(b"{").starts_with("EOF while parsing"));
        assert!(message(br#"{"freight":5}"#).contains("invalid type"));
    }

    #[tokio::test]
    async fn a_body_that_grows_too_large_is_told_as_such() {
        let body = http_body_util::Limited::new(Body::from("0123456789"), 5);
        let error = read(Body::new(body)).await.unwrap_err();
        assert_eq!(error.status(), http::StatusCode::PAYLOAD_TOO_LARGE);
    }
}
