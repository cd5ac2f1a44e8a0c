//! Secrets that are handed in, for whoever works without a cluster.

use std::{collections::BTreeMap, sync::Arc};

use k8s_openapi::api::core::v1::Secret;

use crate::matching::{Address, Book, Entry};

/// A book per namespace.
pub(crate) struct Given {
    books: BTreeMap<String, Book>,
}

impl Given {
    pub(crate) fn new(secrets: &[Secret]) -> Self {
        let mut books: BTreeMap<String, Book> = BTreeMap::new();
        for secret in secrets {
            let namespace = secret.metadata.namespace.clone().unwrap_or_default();
            books.entry(namespace).or_default().put(secret);
        }
        Self { books }
    }

    /// The Secrets of a namespace for a repository, best first.
    pub(crate) fn candidates(&self, namespace: &str, address: &Address) -> Vec<Arc<Entry>> {
        self.books.get(namespace).map(|book| book.candidates(address)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Kind;

    #[test]
    fn a_secret_counts_in_its_own_namespace_only() {
        let secret: Secret = serde_json::from_value(json!({
            "metadata": {"name": "s", "namespace": "a", "labels": {"kargo.akuity.io/cred-type": "git"}},
            "data": {"repoURL": "aHR0cHM6Ly9hLmIvYw=="},
        }))
        .unwrap();
        let given = Given::new(&[secret]);
        let address = Address::new(Kind::Git, "https://a.b/c");
        assert_eq!(given.candidates("a", &address).len(), 1);
        assert!(given.candidates("b", &address).is_empty());
    }
}
