//! Why a text body is no object.

/// A JSON body that cannot be read. Displays what follows `json parse error: ` in the reply.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The bytes are not JSON, or nested deeper than [`crate::json::MAX_DEPTH`].
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}
