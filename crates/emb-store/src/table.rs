//! The objects of one resource as of the last durable revision, with their recent events.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use emb_meta::GroupResource;
use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::sync::Notify;

use crate::{
    Change, Entry, Event, Key, ResourceFigures,
    key::Place,
    labels::LabelIndex,
    listing::{Listing, Range},
    ring::{Keep, Ring},
};

/// From this many objects on a label index is faster than looking at each of them.
const WORTH_AN_INDEX: usize = 256;

pub(crate) struct Table {
    pub(crate) resource: GroupResource,
    pub(crate) contents: RwLock<Contents>,
    /// Told after new events are in the ring.
    pub(crate) changed: Notify,
    /// How far each watcher has come.
    cursors: Mutex<Vec<Weak<AtomicU64>>>,
}

pub(crate) struct Contents {
    entries: BTreeMap<Place, Arc<Entry>>,
    labels: LabelIndex,
    pub(crate) ring: Ring,
    /// The revision of the newest event; may be ahead of the store's while a batch is being published.
    pub(crate) last_event: u64,
}

impl Table {
    pub(crate) fn new(resource: GroupResource, ring_floor: u64) -> Self {
        let contents = Contents {
            entries: BTreeMap::new(),
            labels: LabelIndex::default(),
            ring: Ring::new(ring_floor),
            last_event: 0,
        };
        Self {
            resource,
            contents: RwLock::new(contents),
            changed: Notify::new(),
            cursors: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Entry>> {
        self.contents.read().entries.get(&key.place()).cloned()
    }

    /// Where a new watcher that starts after `revision` shows how far it has come.
    pub(crate) fn register(&self, revision: u64) -> Arc<AtomicU64> {
        let cursor = Arc::new(AtomicU64::new(revision));
        let mut cursors = self.cursors.lock();
        // Those that ended are swept out when the list would grow, so that sweeping costs nothing on the whole.
        if cursors.len() == cursors.capacity() {
            cursors.retain(|cursor| cursor.strong_count() > 0);
        }
        cursors.push(Arc::downgrade(&cursor));
        cursor
    }

    /// What there is to know about the resource.
    pub(crate) fn figures(&self) -> ResourceFigures {
        let cursors: Vec<_> = self.cursors.lock().iter().filter_map(Weak::upgrade).collect();
        let contents = self.contents.read();
        let behind = |cursor: &Arc<AtomicU64>| contents.ring.newer(cursor.load(Ordering::Relaxed));
        ResourceFigures {
            resource: self.resource.clone(),
            objects: contents.len(),
            history_floor: contents.ring.floor(),
            watchers: cursors.len(),
            most_behind: cursors.iter().map(behind).max().unwrap_or(0),
        }
    }

    /// The contents for reading `range`, after making an index for it if that pays.
    pub(crate) fn read_for(&self, range: &Range<'_>) -> RwLockReadGuard<'_, Contents> {
        let contents = self.contents.read();
        let Some((label, _)) = range.label else { return contents };
        if contents.len() < WORTH_AN_INDEX || !contents.labels.would_take(label) {
            return contents;
        }
        drop(contents);
        let mut contents = self.contents.write();
        let Contents { entries, labels, .. } = &mut *contents;
        labels.make(label, entries.values());
        RwLockWriteGuard::downgrade(contents)
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

    /// What is in `range`, up to its limit.
    pub(crate) fn list(&self, range: &Range<'_>, revision: u64) -> Listing {
        let mut found = self.select(range);
        let limit = range.limit.unwrap_or(usize::MAX);
        // Found first, shared then: between atomic counts the processor would wait for each object anew.
        let entries: Vec<&Arc<Entry>> = found.by_ref().take(limit).collect();
        let entries = entries.into_iter().cloned().collect();
        Listing { revision, entries, remaining: found.count() }
    }

    /// Everything in `range`, without regard to its limit.
    pub(crate) fn select<'a>(
        &'a self,
        range: &'a Range<'_>,
    ) -> Box<dyn Iterator<Item = &'a Arc<Entry>> + 'a> {
        let here =
            |entry: &&Arc<Entry>| range.namespace.is_none_or(|ns| *ns == *entry.key.namespace);
        let from = (Bound::Excluded(range.start()), Bound::Unbounded);
        if let Some(places) = self.labels.find(range.label) {
            let indexed = places.range(from).filter_map(|place| self.entries.get(place));
            return Box::new(indexed.take_while(here));
        }
        let entries = self.entries.range(from).map(|(_, entry)| entry);
        Box::new(entries.take_while(here).filter(|entry| range.has_label(entry)))
    }

    fn apply(&mut self, event: &Arc<Event>, keep: Keep) -> (usize, usize) {
        let place = event.key.place();
        let old = match event.change {
            Change::Deleted => self.entries.remove(&place),
            Change::Created | Change::Updated => {
                self.labels.add(&event.entry);
                self.entries.insert(place, event.entry.clone())
            }
        };
        if let Some(old) = old {
            self.labels.remove(&old, self.entries.get(&event.key.place()));
        }
        self.last_event = event.revision;
        self.ring.push(event.clone(), keep)
    }
}
