//! A map that forgets what was used least recently.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use super::Key;

/// Bounded in entries and in bytes.
pub(super) struct Recent {
    max_entries: usize,
    max_bytes: usize,
    bytes: usize,
    uses: u64,
    entries: HashMap<Key, Entry>,
    /// Keys by their last use.
    order: BTreeMap<u64, Key>,
}

struct Entry {
    value: Arc<str>,
    used: u64,
    /// When it was last found to be so, if that was in this process.
    checked: Option<Duration>,
}

impl Recent {
    pub(super) fn new(max_entries: usize, max_bytes: usize) -> Self {
        Self {
            max_entries: max_entries.max(1),
            max_bytes,
            bytes: 0,
            uses: 0,
            entries: HashMap::new(),
            order: BTreeMap::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The value, which thereby is the most recently used.
    pub(super) fn get(&mut self, key: &Key) -> Option<Arc<str>> {
        let entry = self.entries.get_mut(key)?;
        self.order.remove(&entry.used);
        self.uses += 1;
        entry.used = self.uses;
        self.order.insert(self.uses, *key);
        Some(entry.value.clone())
    }

    /// Keeps a value; returns whether that is news.
    pub(super) fn insert(&mut self, key: Key, value: Arc<str>) -> bool {
        self.uses += 1;
        self.bytes += value.len();
        let entry = Entry { value, used: self.uses, checked: None };
        self.order.insert(self.uses, key);
        let old = self.entries.insert(key, entry);
        let mut is_news = true;
        if let Some(old) = old {
            self.order.remove(&old.used);
            self.bytes -= old.value.len();
            is_news = self.entries.get(&key).is_none_or(|new| new.value != old.value);
        }
        while self.entries.len() > self.max_entries || self.bytes > self.max_bytes {
            if !self.forget_oldest() {
                break;
            }
        }
        is_news
    }

    /// Notes that a value was found to be so at this time.
    pub(super) fn check(&mut self, key: &Key, time: Duration) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.checked = Some(time);
        }
    }

    /// When a value was last found to be so.
    pub(super) fn checked(&self, key: &Key) -> Option<Duration> {
        self.entries.get(key)?.checked
    }

    pub(super) fn oldest_first(&self) -> impl Iterator<Item = (&Key, &str)> {
        let keys = self.order.values();
        keys.filter_map(|key| self.entries.get(key).map(|entry| (key, &*entry.value)))
    }

    fn forget_oldest(&mut self) -> bool {
        let Some((_, key)) = self.order.pop_first() else { return false };
        if let Some(entry) = self.entries.remove(&key) {
            self.bytes -= entry.value.len();
        }
        true
    }
}
