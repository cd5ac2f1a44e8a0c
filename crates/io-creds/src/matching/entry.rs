//! A Secret as the rules see it.

use std::sync::Arc;

use api_kinds::{annotations, labels};
use core_pattern::{RegexError, UserRegex};
use k8s_openapi::api::core::v1::Secret;

use super::{Address, Material};
use crate::Kind;

/// A Secret that opens repositories.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) target: Target,
    pub(crate) material: Arc<Material>,
}

/// Which repositories a Secret opens.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// The one with this normal form.
    Exact(String),
    /// All whose raw or normal form this finds.
    Pattern(UserRegex),
}

/// Why a Secret opens no repository.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Unusable {
    #[error("its label names no kind of repository")]
    Kind,
    #[error("it has no repoURL")]
    Address,
    #[error(transparent)]
    Pattern(#[from] RegexError),
}

impl Entry {
    pub(crate) fn read(secret: &Secret) -> Result<Self, Unusable> {
        let metadata = &secret.metadata;
        let label = metadata.labels.as_ref().and_then(|all| all.get(labels::CREDENTIALS_TYPE));
        let kind = label.and_then(|value| Kind::of_label(value)).ok_or(Unusable::Kind)?;
        let annotations = metadata.annotations.as_ref();
        let scopes = annotations.and_then(|all| all.get(annotations::GITHUB_TOKEN_SCOPES));
        let empty = std::collections::BTreeMap::new();
        let material = Material::new(secret.data.as_ref().unwrap_or(&empty), scopes);
        let url = material.plain("repoURL").ok_or(Unusable::Address)?;
        let target = if material.plain("repoURLIsRegex") == Some("true") {
            Target::Pattern(UserRegex::parse(url)?)
        } else {
            Target::Exact(kind.normalize(url))
        };
        let name = metadata.name.clone().unwrap_or_default();
        Ok(Self { name, kind, target, material: Arc::new(material) })
    }

    /// Whether this Secret is for a repository.
    pub(crate) fn matches(&self, address: &Address) -> bool {
        self.kind == address.kind
            && match &self.target {
                Target::Exact(normalized) => *normalized == address.normalized,
                Target::Pattern(pattern) => {
                    pattern.is_match(&address.raw) || pattern.is_match(&address.normalized)
                }
            }
    }
}
