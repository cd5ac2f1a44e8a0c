//! The answer, as expressions see it.

use core_expr::{Function, Value, Variables};
use http::{HeaderMap, HeaderName, StatusCode, header};
use io_http::outbound::Response;
use serde_json::{Value as Json, json};

use super::message::transport_error;
use crate::StepError;

/// The largest answer that is read.
const MAX_BYTES: u64 = 2 << 20;

/// How much of an answer is shown to people.
const EXCERPT_CHARACTERS: usize = 200;

/// An answer with its body.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    body: Json,
    excerpt: String,
}

impl Answer {
    /// Reads an answer as the given content type, or as the one it says it is.
    pub(crate) async fn read(response: Response, content_type: &str) -> Result<Self, StepError> {
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.read_limited(MAX_BYTES).await.map_err(transport_error)?;
        let media_type =
            if content_type.is_empty() { media_type(&headers) } else { content_type.to_owned() };
        let body = body(&bytes, &media_type)?;
        Ok(Self { status, headers, body, excerpt: excerpt(&bytes) })
    }

    /// Status and the beginning of the body.
    pub(crate) fn summary(&self) -> String {
        match self.excerpt.as_str() {
            "" => format!("HTTP ({})", self.status.as_u16()),
            excerpt => format!("HTTP ({}): {excerpt}", self.status.as_u16()),
        }
    }

    /// `response`, with `status`, `header(name)`, `headers` and `body`.
    pub(crate) fn variables(&self) -> Variables {
        let headers = self.headers.clone();
        let header = Function::new(1, move |arguments| {
            let name = arguments.first().and_then(Value::as_text).ok_or("header takes a name")?;
            let value = HeaderName::from_bytes(name.to_str().as_bytes())
                .ok()
                .and_then(|name| headers.get(name))
                .map_or_else(String::new, |value| lossy(value.as_bytes()));
            Ok(Value::text(value))
        });
        let response = Value::map([
            ("status", Value::int(i64::from(self.status.as_u16()))),
            ("header", Value::function(header)),
            ("headers", self.header_lists()),
            ("body", Value::from_json(&self.body)),
        ]);
        Variables::from_iter([("response", response)])
    }

    fn header_lists(&self) -> Value {
        Value::map(self.headers.keys().map(|name| {
            let values = self.headers.get_all(name).iter();
            let values = values.map(|value| Value::text(lossy(value.as_bytes()))).collect();
            (canonical(name.as_str()), Value::list(values))
        }))
    }
}

/// The beginning of a text, in one line.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    // A character has four bytes at most.
    let bytes = bytes.get(..4 * EXCERPT_CHARACTERS).unwrap_or(bytes);
    let text = lossy(bytes);
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(EXCERPT_CHARACTERS).collect()
}

fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).map(|value| lossy(value.as_bytes()));
    value.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_owned()
}

/// The body by its type; of an unknown type only JSON is understood.
fn body(bytes: &[u8], media_type: &str) -> Result<Json, StepError> {
    if bytes.is_empty() {
        return Ok(json!({}));
    }
    match media_type.to_ascii_lowercase().as_str() {
        "application/json" => serde_json::from_slice(bytes)
            .map_err(|error| StepError::retryable("the answer is not JSON").because(error)),
        "application/yaml" | "text/yaml" | "application/x-yaml" => {
            core_edit::yaml::parse(&lossy(bytes))
                .map_err(|error| StepError::retryable("the answer is not YAML").because(error))
        }
        "text/plain" => Ok(Json::String(lossy(bytes))),
        _ => Ok(serde_json::from_slice(bytes).unwrap_or_else(|_| json!({}))),
    }
}

/// A header's name as expressions know it: `Content-Type`.
fn canonical(name: &str) -> String {
    let mut is_start = true;
    name.chars()
        .map(|character| {
            let shown = if is_start {
                character.to_ascii_uppercase()
            } else {
                character.to_ascii_lowercase()
            };
            is_start = character == '-';
            shown
        })
        .collect()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_read_by_its_type() {
        for (bytes, media_type, wanted) in [
            ("", "application/json", json!({})),
            ("[1]", "Application/JSON", json!([1])),
            ("a: [1]", "text/yaml", json!({"a": [1]})),
            ("a: 1", "text/plain", json!("a: 1")),
            ("{\"a\": 1}", "", json!({"a": 1})),
            ("{\"a\": 1}", "application/problem+json", json!({"a": 1})),
            ("<html>", "text/html", json!({})),
        ] {
            assert_eq!(body(bytes.as_bytes(), media_type).unwrap(), wanted, "{bytes} {media_type}");
        }
        assert!(body(b"{", "application/json").is_err());
        assert!(body(b"a: b: c", "application/x-yaml").is_err());
        assert!(
            body("[".repeat(100_000).as_bytes(), "application/json").is_err(),
            "nesting is bounded"
        );
    }

    #[test]
    fn an_excerpt_is_one_short_line() {
        assert_eq!(excerpt(b"  two\r\n\x1b[31mlines\xff "), "two [31mlines\u{fffd}");
        assert_eq!(excerpt(&[b'x'; 5_000]).len(), EXCERPT_CHARACTERS);
        assert_eq!(canonical("x-rate-LIMIT"), "X-Rate-Limit");
    }
}
