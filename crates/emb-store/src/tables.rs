//! All tables of a store, with what spans them: owners and the memory of the rings.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use emb_meta::GroupResource;
use parking_lot::RwLock;

use crate::{
    Change, Entry, Event, Key,
    ring::{Keep, Ring},
    table::Table,
};

pub(crate) struct Tables {
    directory: RwLock<BTreeMap<GroupResource, Arc<Table>>>,
    /// Who names this uid as an owner.
    dependents: RwLock<BTreeMap<Arc<str>, BTreeSet<Key>>>,
    /// Events above this revision are in the rings since the store was opened.
    ring_start: AtomicU64,
    ring_bytes: AtomicUsize,
    max_ring_bytes: usize,
    keep: Keep,
}

impl Tables {
    pub(crate) fn new(keep: Keep, max_ring_bytes: usize) -> Self {
        Self {
            directory: RwLock::default(),
            dependents: RwLock::default(),
            ring_start: AtomicU64::new(0),
            ring_bytes: AtomicUsize::new(0),
            max_ring_bytes,
            keep,
        }
    }

    pub(crate) fn find(&self, resource: &GroupResource) -> Option<Arc<Table>> {
        self.directory.read().get(resource).cloned()
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Entry>> {
        self.find(&key.resource)?.get(key)
    }

    pub(crate) fn find_or_create(&self, resource: &GroupResource) -> Arc<Table> {
        if let Some(table) = self.find(resource) {
            return table;
        }
        let mut directory = self.directory.write();
        let floor = self.ring_start.load(Ordering::Acquire);
        let create = || Arc::new(Table::new(resource.clone(), floor));
        directory.entry(resource.clone()).or_insert_with(create).clone()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Table>> {
        self.directory.read().values().cloned().collect()
    }

    pub(crate) fn dependents(&self, owner_uid: &str) -> Vec<Key> {
        let dependents = self.dependents.read();
        dependents.get(owner_uid).into_iter().flatten().cloned().collect()
    }

    /// The memory that the rings hold.
    pub(crate) fn ring_bytes(&self) -> usize {
        self.ring_bytes.load(Ordering::Relaxed)
    }

    /// Takes an object in while the store is being opened.
    pub(crate) fn load(&self, entry: Arc<Entry>) {
        self.add_owners(&entry);
        let table = self.find_or_create(&entry.key.resource);
        table.contents.write().load(entry);
    }

    /// Decides from which revision on the rings are complete. Called once, between loading objects and replaying events.
    pub(crate) fn start_rings(&self, after: u64) {
        self.ring_start.store(after, Ordering::Release);
        for table in self.all() {
            table.contents.write().ring = Ring::new(after);
        }
    }

    /// Puts an event of the past back into its ring.
    pub(crate) fn replay(&self, event: Arc<Event>) {
        let table = self.find_or_create(&event.key.resource);
        let change = table.contents.write().ring.push(event, self.keep);
        self.account(change);
    }

    /// Publishes durable events: first the objects, then the owners.
    pub(crate) fn publish(&self, events: &[Arc<Event>]) {
        for run in events.chunk_by(|a, b| a.key.resource == b.key.resource) {
            let Some(first) = run.first() else { continue };
            let change = self.find_or_create(&first.key.resource).apply(run, self.keep);
            self.account(change);
        }
        for event in events {
            if let Some(previous) = &event.previous {
                self.remove_owners(previous);
            }
            if event.change != Change::Deleted {
                self.add_owners(&event.entry);
            }
        }
        self.shrink_rings();
    }

    /// Wakes the watchers of what changed.
    pub(crate) fn announce(&self, events: &[Arc<Event>]) {
        for run in events.chunk_by(|a, b| a.key.resource == b.key.resource) {
            if let Some(table) = run.first().and_then(|event| self.find(&event.key.resource)) {
                table.changed.notify_waiters();
            }
        }
    }

    /// Wakes every watcher, for the end of the store.
    pub(crate) fn announce_all(&self) {
        for table in self.all() {
            table.changed.notify_waiters();
        }
    }

    /// Lets go of events that nobody may ask for any more.
    pub(crate) fn forget(&self, revision: u64) {
        for table in self.all() {
            let freed = table.contents.write().ring.forget(revision);
            self.account((0, freed));
        }
    }

    fn account(&self, (grown, freed): (usize, usize)) {
        self.ring_bytes.fetch_add(grown, Ordering::Relaxed);
        self.ring_bytes.fetch_sub(freed, Ordering::Relaxed);
    }

    /// Drops the oldest events of the whole store until the rings fit their memory.
    fn shrink_rings(&self) {
        while self.ring_bytes.load(Ordering::Relaxed) > self.max_ring_bytes {
            let tables = self.all();
            let oldest = tables
                .iter()
                .filter_map(|table| Some((table.contents.read().ring.first()?, table)))
                .min_by_key(|(first, _)| *first);
            let Some((_, table)) = oldest else { return };
            let freed = table.contents.write().ring.pop();
            self.account((0, freed));
        }
    }

    fn add_owners(&self, entry: &Entry) {
        if entry.owners.is_empty() {
            return;
        }
        let mut dependents = self.dependents.write();
        for owner in &entry.owners {
            dependents.entry(owner.clone()).or_default().insert(entry.key.clone());
        }
    }

    fn remove_owners(&self, entry: &Entry) {
        if entry.owners.is_empty() {
            return;
        }
        let mut dependents = self.dependents.write();
        for owner in &entry.owners {
            let Some(keys) = dependents.get_mut(owner) else { continue };
            keys.remove(&entry.key);
            if keys.is_empty() {
                dependents.remove(owner);
            }
        }
    }
}
