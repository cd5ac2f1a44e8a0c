//! Why a text was not edited or read.

use crate::key::KeyError;

/// Why a text was not edited or read: one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The file is larger than [`crate::MAX_BYTES`].
    #[error("it has more than {limit} bytes, the most that is read", limit = crate::MAX_BYTES)]
    TooLarge,
    /// The file is no text.
    #[error("it is not UTF-8")]
    NotText,
    /// The text does not follow the rules of its format.
    #[error("it is not valid {format}: {reason}")]
    Syntax {
        /// `YAML`, `JSON` or `TOML`.
        format: &'static str,
        /// What is wrong, and where.
        reason: String,
    },
    /// Values are nested deeper than [`crate::MAX_DEPTH`].
    #[error("its values are nested deeper than {limit} levels", limit = crate::MAX_DEPTH)]
    TooDeep,
    /// Aliases make the document far larger than its text.
    #[error("its aliases repeat more than is read: write the values out")]
    ExcessiveAliasing,
    /// An alias stands inside the value that it names.
    #[error("an alias stands inside the value that it names")]
    SelfReference,
    /// There is nothing in the file.
    #[error("it is empty")]
    Empty,
    /// A key of an update is not well formed.
    #[error("the key {key:?} is not well formed: {cause}")]
    Key {
        /// The key as it was written.
        key: String,
        /// What is wrong with it.
        cause: KeyError,
    },
    /// Nothing is where the key leads.
    #[error("the key path {key:?} is not found: {reason}")]
    NotFound {
        /// The key as it was written.
        key: String,
        /// Where the way ends.
        reason: String,
    },
    /// The key leads to something that is not replaced.
    #[error("the key path {key:?} leads to {found}, and only scalars are replaced")]
    NotScalar {
        /// The key as it was written.
        key: String,
        /// What is there.
        found: &'static str,
    },
    /// The new value is no scalar of the format.
    #[error("the value of {key:?} is {found}: give it a {wanted}")]
    Value {
        /// The key as it was written.
        key: String,
        /// What was given.
        found: &'static str,
        /// What the format takes.
        wanted: &'static str,
    },
    /// A scalar cannot be read as its tag says, or not as JSON.
    #[error("{text:?} cannot be read as {wanted}")]
    Scalar {
        /// The scalar.
        text: String,
        /// The type asked for.
        wanted: String,
    },
    /// A mapping has a key that cannot be the name of a member.
    #[error("a mapping has a key that is {0}: keys are texts, numbers or booleans")]
    MappingKey(&'static str),
    /// `<<` has something else than mappings.
    #[error("`<<` stands before something that is no mapping")]
    MergeKey,
    /// Two documents do not fit over each other.
    #[error("{over} cannot be merged over {base} at {place}")]
    Mismatch {
        /// Where, for example `spec.replicas`.
        place: String,
        /// What the lower document has there.
        base: &'static str,
        /// What the upper document has there.
        over: &'static str,
    },
    /// The `images` of a kustomization are not what kustomize reads.
    #[error("its `images` are not usable: {0}")]
    Images(String),
}

impl EditError {
    pub(crate) fn yaml(error: &granit_parser::ScanError) -> Self {
        Self::Syntax { format: "YAML", reason: error.to_string().trim().to_owned() }
    }
}
