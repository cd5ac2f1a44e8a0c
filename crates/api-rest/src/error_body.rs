//! What every failed request is answered with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The body of an error. Upstream's clients read `error`; the rest is for those who want to tell
/// failures apart without reading sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// What went wrong, in a sentence.
    #[serde(default)]
    pub error: String,
    /// The kind of failure, such as `NotFound`: a word that does not change.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// Facts for programs.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// What to look for in the log of the server.
    #[serde(default, rename = "requestId", skip_serializing_if = "String::is_empty")]
    pub request_id: String,
}

#[cfg(test)]
mod tests {
    use super::ErrorBody;

    #[test]
    fn only_the_message_is_always_there() {
        let body = ErrorBody { error: "internal server error".into(), ..ErrorBody::default() };
        let text = serde_json::to_string(&body).unwrap();
        assert_eq!(text, r#"{"error":"internal server error"}"#);
        assert_eq!(serde_json::from_str::<ErrorBody>(&text).unwrap(), body);
    }
}
