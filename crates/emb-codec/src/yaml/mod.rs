//! YAML bodies and replies.
//!
//! Texts are read as Kubernetes tools read them, which is YAML 1.1 where the versions differ: `yes` and `off` are
//! booleans, `010` is eight, `<<` merges. One document is read; what follows it is ignored. Written text is quoted
//! wherever either version would read something else back.

mod builder;
mod scalar;

use serde_json::Value;

use crate::json::Decoded;

pub use crate::error::DecodeError;

/// Why a text is no object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum YamlError {
    /// The bytes are no text.
    #[error("yaml: invalid UTF-8")]
    Encoding,
    /// The text is not YAML.
    #[error("yaml: {0}")]
    Syntax(#[from] granit_parser::ScanError),
    /// Nested deeper than [`crate::json::MAX_DEPTH`].
    #[error("yaml: exceeded max depth of {max}", max = crate::json::MAX_DEPTH)]
    TooDeep,
    /// Aliases make the document far larger than its text.
    #[error("yaml: document contains excessive aliasing")]
    ExcessiveAliasing,
    /// An alias stands inside the value that it names.
    #[error("yaml: anchor value contains itself")]
    SelfReference,
    /// A key of a mapping cannot be the name of a member.
    #[error("yaml: invalid map key: {0}")]
    Key(Value),
    /// `<<` has something else than mappings.
    #[error("yaml: map merge requires map or sequence of maps as the value")]
    Merge,
    /// A tag such as `!!int` stands before something else.
    #[error("yaml: cannot decode `{text}` as a !!{tag}")]
    Tag {
        /// The scalar.
        text: String,
        /// The type asked for.
        tag: String,
    },
    /// `.nan` and `.inf` have no place in JSON.
    #[error("json: unsupported value: {0}")]
    NotFinite(String),
}

/// Reads the first document of a YAML text. An empty text is null.
pub fn decode(bytes: &[u8]) -> Result<Decoded, DecodeError> {
    let text = std::str::from_utf8(bytes).map_err(|_| YamlError::Encoding)?;
    Ok(builder::build(text)?)
}

/// Writes a value as one YAML document in block style.
pub fn encode(value: &Value) -> String {
    // Folding long strings would be a change that some readers do not undo.
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    // JSON is YAML too: a reply in it is better than none.
    serde_saphyr::to_string_with_options(value, options).unwrap_or_else(|_| value.to_string())
}

#[cfg(test)]
mod tests;
