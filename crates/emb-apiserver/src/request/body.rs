//! Reading and decoding request bodies.

use std::{fmt::Display, pin::pin};

use bytes::{Buf, Bytes, BytesMut};
use emb_codec::{json, protobuf, yaml};
use emb_meta::{Reason, Status};
use http_body_util::BodyExt;
use serde_json::Value;

use super::negotiate::{BodyFormat, body_format};

/// Reads a whole body of at most `limit` bytes.
pub(crate) async fn read<B>(body: B, limit: usize) -> Result<Bytes, Status>
where
    B: http_body::Body,
    B::Error: Display,
{
    let too_large = || {
        let message = format!("Request entity too large: limit is {limit}");
        Status::new(Reason::RequestEntityTooLarge, message)
    };
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    let mut body = pin!(body);
    let mut collected = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            Status::new(Reason::BadRequest, format!("the request body cannot be read: {error}"))
        })?;
        if let Ok(mut data) = frame.into_data() {
            if collected.len() + data.remaining() > limit {
                return Err(too_large());
            }
            let length = data.remaining();
            collected.extend_from_slice(&data.copy_to_bytes(length));
        }
    }
    Ok(collected.freeze())
}

/// A decoded object and the members that were given twice.
pub(crate) struct Decoded {
    pub(crate) value: Value,
    pub(crate) duplicates: Vec<String>,
}

/// Decodes the object that a body carries, in the format its content type names.
pub(crate) fn decode(bytes: &[u8], content_type: &str) -> Result<Decoded, Status> {
    let bad = |error: &dyn Display| {
        Status::new(
            Reason::BadRequest,
            format!("couldn't get version/kind; json parse error: {error}"),
        )
    };
    match body_format(content_type)? {
        BodyFormat::Json => json::decode(bytes).map_err(|error| bad(&error)).map(from_text),
        BodyFormat::Yaml => yaml::decode(bytes).map_err(|error| bad(&error)).map(from_text),
        BodyFormat::Protobuf => match protobuf::decode(bytes) {
            Ok(decoded) => Ok(Decoded { value: decoded.value, duplicates: Vec::new() }),
            Err(error @ protobuf::ProtobufError::UnknownKind { .. }) => {
                Err(Status::new(Reason::UnsupportedMediaType, error.to_string()))
            }
            Err(error) => Err(Status::new(Reason::BadRequest, error.to_string())),
        },
    }
}

fn from_text(decoded: json::Decoded) -> Decoded {
    Decoded { value: decoded.value, duplicates: decoded.duplicates }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use http_body_util::Full;

    use super::*;

    #[test]
    fn bodies_above_the_limit_are_refused() {
        let body = |size: usize| Full::new(Bytes::from(vec![b' '; size]));
        assert_eq!(block_on(read(body(10), 10)).unwrap().len(), 10);
        assert_eq!(block_on(read(body(11), 10)).unwrap_err().code, 413);
    }

    #[test]
    fn each_format_is_decoded_and_others_are_415() {
        assert_eq!(decode(b"{\"a\":1}", "application/json").unwrap().value["a"], 1);
        assert_eq!(decode(b"a: 1\n", "application/yaml").unwrap().value["a"], 1);
        assert_eq!(decode(b"{", "").err().map(|status| status.code), Some(400));
        assert_eq!(decode(b"{}", "text/plain").err().map(|status| status.code), Some(415));
        assert_eq!(
            decode(b"no envelope", "application/vnd.kubernetes.protobuf").err().map(|s| s.code),
            Some(400)
        );
    }
}
