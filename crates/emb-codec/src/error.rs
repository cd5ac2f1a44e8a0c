//! Why a text body is no object.

use crate::yaml::YamlError;

/// A body that cannot be read. Displays the text that the 400 carries after its own introduction.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The bytes are not JSON, or nested deeper than [`crate::json::MAX_DEPTH`].
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// The bytes are not YAML, or YAML that JSON cannot express.
    #[error("error converting YAML to JSON: {0}")]
    Yaml(#[from] YamlError),
}
