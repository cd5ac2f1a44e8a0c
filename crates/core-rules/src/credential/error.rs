//! Why credentials and ConfigMaps are not written.

use api_kinds::labels;

use crate::fault::{Class, Fault};

/// A write that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are what the texts name")]
pub enum CredentialError {
    #[error("{field} should not be empty")]
    Missing { field: &'static str },
    #[error("type should be one of git, helm, or image")]
    UnknownType,
    #[error("cannot create empty secret")]
    CreateEmpty,
    #[error("cannot update to empty secret")]
    UpdateEmpty,
    #[error("cannot have empty secret")]
    PatchEmpty,
    #[error("the value of key {key:?} is what is shown in place of a secret, not a secret")]
    Redacted { key: String },
    #[error("ConfigMap data cannot be empty")]
    ConfigMapEmpty,
    #[error("ConfigMap data cannot be empty after patch")]
    ConfigMapEmptyAfterPatch,
    #[error(
        "secret {namespace}/{name} exists, but is not labeled with {}",
        labels::CREDENTIALS_TYPE
    )]
    NotLabeled { namespace: String, name: String },
    #[error(
        "Kubernetes Secret {namespace}/{name} exists, but is labeled as unrecognized credential \
         type {found:?}"
    )]
    OtherType { namespace: String, name: String, found: String },
    #[error(
        "Secret {namespace}/{name} exists, but is not labeled with {}={}",
        labels::CREDENTIALS_TYPE,
        labels::CREDENTIALS_GENERIC
    )]
    NotGeneric { namespace: String, name: String },
}

impl Fault for CredentialError {
    fn class(&self) -> Class {
        match self {
            Self::NotLabeled { .. } | Self::OtherType { .. } | Self::NotGeneric { .. } => {
                Class::Conflict
            }
            _ => Class::BadRequest,
        }
    }
}

/// Refuses an empty field.
pub(super) fn require(field: &'static str, value: &str) -> Result<(), CredentialError> {
    if value.is_empty() { Err(CredentialError::Missing { field }) } else { Ok(()) }
}
