//! Which objects of a resource have a label: for the label keys that readers ask for, made at the first question.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{Entry, key::Place};

/// The most keys that are indexed per resource: readers ask for few, and a hostile one must not fill the memory.
const MAX_KEYS: usize = 8;

type Places = BTreeSet<Place>;

#[derive(Default)]
pub(crate) struct LabelIndex {
    /// By label key, then by its value.
    keys: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Places>>,
    nowhere: Places,
}

impl LabelIndex {
    /// Whether `key` is not indexed but could be.
    pub(crate) fn would_take(&self, key: &str) -> bool {
        self.keys.len() < MAX_KEYS && !self.keys.contains_key(key)
    }

    /// Indexes `key` over all objects.
    pub(crate) fn make<'a>(&mut self, key: &str, entries: impl Iterator<Item = &'a Arc<Entry>>) {
        if !self.would_take(key) {
            return;
        }
        self.keys.insert(key.into(), BTreeMap::new());
        entries.for_each(|entry| self.add(entry));
    }

    /// The objects with this label; `None` when its key is not indexed.
    pub(crate) fn find(&self, label: Option<(&str, &str)>) -> Option<&Places> {
        let (key, value) = label?;
        Some(self.keys.get(key)?.get(value).unwrap_or(&self.nowhere))
    }

    pub(crate) fn add(&mut self, entry: &Entry) {
        if self.keys.is_empty() {
            return;
        }
        for (key, value) in &entry.labels {
            if let Some(values) = self.keys.get_mut(key) {
                values.entry(value.clone()).or_default().insert(entry.key.place());
            }
        }
    }

    /// Forgets the labels of `old` that `new`, which replaced it, does not have.
    pub(crate) fn remove(&mut self, old: &Entry, new: Option<&Arc<Entry>>) {
        if self.keys.is_empty() {
            return;
        }
        for (key, value) in &old.labels {
            if new.is_some_and(|new| new.label(key) == Some(value)) {
                continue;
            }
            let Some(values) = self.keys.get_mut(key) else { continue };
            let Some(places) = values.get_mut(value) else { continue };
            places.remove(&old.key.place());
            if places.is_empty() {
                values.remove(value);
            }
        }
    }
}
