//! The objects of one resource as of the last durable revision, with their recent events.

use std::{collections::BTreeMap, ops::Bound, sync::Arc};

use emb_meta::GroupResource;
use parking_lot::RwLock;
use tokio::sync::Notify;

use crate::{
    Change, Entry, Event, Key,
    key::Place,
    listing::Range,
    ring::{Keep, Ring},
};

pub(crate) struct Table {
    pub(crate) resource: GroupResource,
    pub(crate) contents: RwLock<Contents>,
    /// Told after new events are in the ring.
    pub(crate) changed: Notify,
}

pub(crate) struct Contents {
    entries: BTreeMap<Place, Arc<Entry>>,
    pub(crate) ring: Ring,
    /// The revision of the newest event; may be ahead of the store's while a batch is being published.
    pub(crate) last_event: u64,
}

impl Table {
    pub(crate) fn new(resource: GroupResource, ring_floor: u64) -> Self {
        let contents =
            Contents { entries: BTreeMap::new(), ring: Ring::new(ring_floor), last_event: 0 };
        Self { resource, contents: RwLock::new(contents), changed: Notify::new() }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Entry>> {
        self.contents.read().entries.get(&key.place()).cloned()
    }

    /// Publishes the next events; returns by how many bytes the ring grew and shrank.
    pub(crate) fn apply(&self, events: &[Arc<Event>], keep: Keep) -> (usize, usize) {
        let mut contents = self.contents.write();
        let mut total = (0, 0);
        for event in events {
            let (grown, freed) = contents.apply(event, keep);
            total = (total.0 + grown, total.1 + freed);
        }
        total
    }
}

impl Contents {
    /// Takes an object in while the store is being opened.
    pub(crate) fn load(&mut self, entry: Arc<Entry>) {
        self.entries.insert(entry.key.place(), entry);
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Everything in `range`, without regard to its limit.
    pub(crate) fn select(&self, range: &Range<'_>) -> Vec<Arc<Entry>> {
        let from = (Bound::Excluded(range.start()), Bound::Unbounded);
        self.entries
            .range(from)
            .map(|(_, entry)| entry)
            .take_while(|entry| range.namespace.is_none_or(|ns| *ns == *entry.key.namespace))
            .filter(|entry| range.has_label(entry))
            .cloned()
            .collect()
    }

    fn apply(&mut self, event: &Arc<Event>, keep: Keep) -> (usize, usize) {
        match event.change {
            Change::Deleted => self.entries.remove(&event.key.place()),
            Change::Created | Change::Updated => {
                self.entries.insert(event.key.place(), event.entry.clone())
            }
        };
        self.last_event = event.revision;
        self.ring.push(event.clone(), keep)
    }
}
