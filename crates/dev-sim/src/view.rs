//! What invariants look at: the objects as they are, and the changes that brought them there.

use std::sync::Arc;

use core_clock::Time;
use emb_meta::GroupResource;
use emb_store::{Event, Key, Range, Store};
use serde_json::Value;

/// The state of the store at one moment.
pub struct View<'a> {
    pub(crate) store: &'a Store,
    pub(crate) changes: &'a [Arc<Event>],
    pub(crate) now: Time,
}

impl View<'_> {
    /// The objects of a resource, ordered by namespace and name.
    pub fn list(&self, group: &str, resource: &str) -> Vec<Value> {
        let listing = self.store.list(&GroupResource::new(group, resource), Range::default());
        listing.entries.iter().map(|entry| entry.value()).collect()
    }

    /// One object; the namespace is empty for those of the whole cluster.
    pub fn get(&self, group: &str, resource: &str, namespace: &str, name: &str) -> Option<Value> {
        let key = Key::new(&GroupResource::new(group, resource), namespace, name);
        self.store.get(&key).map(|entry| entry.value())
    }

    /// What was committed since the last look, in order; nothing at the end of a run.
    pub fn changes(&self) -> &[Arc<Event>] {
        self.changes
    }

    /// The revision of the store.
    pub fn revision(&self) -> u64 {
        self.store.revision()
    }

    /// The time of the simulation.
    pub fn now(&self) -> Time {
        self.now
    }
}
