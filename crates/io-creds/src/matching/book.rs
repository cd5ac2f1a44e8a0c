//! The Secrets of one namespace, found without looking at each.

use std::{collections::BTreeMap, sync::Arc};

use k8s_openapi::api::core::v1::Secret;

use super::{Address, Entry, Unusable, entry::Target};
use crate::Kind;

type ByName = BTreeMap<String, Arc<Entry>>;

/// Entries by kind and normal form, and those with an expression by kind.
#[derive(Debug, Default)]
pub(crate) struct Book {
    entries: ByName,
    exact: BTreeMap<(Kind, String), ByName>,
    patterns: BTreeMap<Kind, ByName>,
}

impl Book {
    /// A book of what a list brought.
    pub(crate) fn of(secrets: &[Secret]) -> Self {
        let mut book = Self::default();
        for secret in secrets {
            book.put(secret);
        }
        book
    }

    /// A Secret is there or changed. One that opens nothing is left out, with a word in the log.
    pub(crate) fn put(&mut self, secret: &Secret) {
        let name = secret.metadata.name.as_deref().unwrap_or_default();
        self.remove(name);
        match Entry::read(secret) {
            Ok(entry) => self.insert(Arc::new(entry)),
            // Secrets for expressions and receivers carry the same label.
            Err(Unusable::Kind) => {}
            Err(error) => {
                let namespace = secret.metadata.namespace.as_deref().unwrap_or_default();
                tracing::warn!(namespace, secret = name, %error, "credential Secret skipped");
            }
        }
    }

    fn insert(&mut self, entry: Arc<Entry>) {
        self.shelf(&entry).insert(entry.name.clone(), entry.clone());
        self.entries.insert(entry.name.clone(), entry);
    }

    /// A Secret is gone.
    pub(crate) fn remove(&mut self, name: &str) {
        let Some(entry) = self.entries.remove(name) else { return };
        let shelf = self.shelf(&entry);
        shelf.remove(name);
        if shelf.is_empty() {
            match &entry.target {
                Target::Exact(url) => {
                    self.exact.remove(&(entry.kind, url.clone()));
                }
                Target::Pattern(_) => {
                    self.patterns.remove(&entry.kind);
                }
            }
        }
    }

    fn shelf(&mut self, entry: &Entry) -> &mut ByName {
        match &entry.target {
            Target::Exact(url) => self.exact.entry((entry.kind, url.clone())).or_default(),
            Target::Pattern(_) => self.patterns.entry(entry.kind).or_default(),
        }
    }

    /// The Secrets for a repository, best first.
    pub(crate) fn candidates(&self, address: &Address) -> Vec<Arc<Entry>> {
        let exact = self.exact.get(&(address.kind, address.normalized.clone()));
        let patterns = self.patterns.get(&address.kind);
        let exact = exact.into_iter().flat_map(BTreeMap::values);
        let patterns = patterns.into_iter().flat_map(BTreeMap::values);
        exact.chain(patterns.filter(|entry| entry.matches(address))).cloned().collect()
    }
}
