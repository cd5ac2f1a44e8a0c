//! What a Secret holds, as texts that are never shown.

use std::{collections::BTreeMap, fmt};

use core_rules::credential::Secret;
use k8s_openapi::ByteString;

/// The data of one Secret, and the annotation that narrows its use.
#[derive(Clone, Default)]
pub(crate) struct Material {
    data: BTreeMap<String, Secret>,
    /// Which Projects get tokens for which repositories, as JSON.
    pub(crate) token_scopes: Option<String>,
}

impl Material {
    /// Takes over the data of a Secret. A value that is no text counts as absent: no provider could use it.
    pub(crate) fn new(data: &BTreeMap<String, ByteString>, token_scopes: Option<&String>) -> Self {
        let text = |(key, value): (&String, &ByteString)| {
            let value = std::str::from_utf8(&value.0).ok()?;
            Some((key.clone(), Secret::new(value)))
        };
        Self { data: data.iter().filter_map(text).collect(), token_scopes: token_scopes.cloned() }
    }

    /// The value of a key; `None` when it is absent or empty.
    pub(crate) fn get(&self, key: &str) -> Option<&Secret> {
        self.data.get(key).filter(|value| !value.is_empty())
    }

    /// The value of a key that is not secret.
    pub(crate) fn plain(&self, key: &str) -> Option<&str> {
        self.get(key).map(Secret::expose)
    }
}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.data.keys()).finish()
    }
}
