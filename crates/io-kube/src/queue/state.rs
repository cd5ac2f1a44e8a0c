//! The bookkeeping of a queue, without waiting: every call is told the time.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};

/// Where each key is. A key is ready at most once, delayed at most once, and running at most once.
pub(crate) struct State<K> {
    ready: BTreeMap<String, VecDeque<(K, Duration)>>,
    /// Groups with ready keys, in the order of their turns.
    turns: VecDeque<String>,
    queued: BTreeSet<K>,
    running: BTreeMap<K, Duration>,
    /// Added while running.
    again: BTreeSet<K>,
    delayed: BTreeMap<(Duration, u64), K>,
    due: BTreeMap<K, (Duration, u64)>,
    sequence: u64,
    failures: BTreeMap<K, u32>,
    last_finish: Duration,
}

impl<K: Ord + Clone> State<K> {
    pub(crate) fn new() -> Self {
        Self {
            ready: BTreeMap::new(),
            turns: VecDeque::new(),
            queued: BTreeSet::new(),
            running: BTreeMap::new(),
            again: BTreeSet::new(),
            delayed: BTreeMap::new(),
            due: BTreeMap::new(),
            sequence: 0,
            failures: BTreeMap::new(),
            last_finish: Duration::ZERO,
        }
    }

    /// Returns whether the key became ready by this.
    pub(crate) fn add(&mut self, key: K, group: String, now: Duration) -> bool {
        if self.running.contains_key(&key) {
            self.again.insert(key);
            return false;
        }
        if !self.queued.insert(key.clone()) {
            return false;
        }
        let keys = self.ready.entry(group.clone()).or_default();
        if keys.is_empty() {
            self.turns.push_back(group);
        }
        keys.push_back((key, now));
        true
    }

    /// Returns whether this is now the earliest delayed key. Of two delays of a key the earlier counts.
    pub(crate) fn delay(&mut self, key: K, due: Duration) -> bool {
        if self.due.get(&key).is_some_and(|(earlier, _)| *earlier <= due) {
            return false;
        }
        self.cancel_delay(&key);
        let slot = (due, self.sequence);
        self.sequence += 1;
        self.due.insert(key.clone(), slot);
        self.delayed.insert(slot, key);
        self.delayed.keys().next() == Some(&slot)
    }

    /// Makes ready what is due; returns how many keys that were.
    pub(crate) fn promote(&mut self, now: Duration, group: &dyn Fn(&K) -> String) -> u64 {
        let mut promoted = 0;
        while let Some(entry) = self.delayed.first_entry().filter(|entry| entry.key().0 <= now) {
            let ((due, _), key) = entry.remove_entry();
            self.due.remove(&key);
            let group = group(&key);
            promoted += u64::from(self.add(key, group, due));
        }
        promoted
    }

    /// The next key and since when it was ready. What it was delayed for is done by this pass too.
    pub(crate) fn take(&mut self, now: Duration) -> Option<(K, Duration)> {
        let group = self.turns.pop_front()?;
        let keys = self.ready.get_mut(&group)?;
        let (key, since) = keys.pop_front()?;
        if keys.is_empty() {
            self.ready.remove(&group);
        } else {
            self.turns.push_back(group);
        }
        self.queued.remove(&key);
        self.cancel_delay(&key);
        self.running.insert(key.clone(), now);
        Some((key, since))
    }

    /// Returns how long the key ran, and whether it is ready once more because it was added meanwhile.
    pub(crate) fn finish(&mut self, key: &K, group: String, now: Duration) -> (Duration, bool) {
        self.last_finish = now;
        let started = self.running.remove(key).unwrap_or(now);
        let ready = self.again.remove(key) && self.add(key.clone(), group, now);
        (now.saturating_sub(started), ready)
    }

    /// Counts a failure; returns how many there were in a row.
    pub(crate) fn failed(&mut self, key: &K) -> u32 {
        let failures = self.failures.entry(key.clone()).or_insert(0);
        *failures = failures.saturating_add(1);
        *failures
    }

    pub(crate) fn failures(&self, key: &K) -> u32 {
        self.failures.get(key).copied().unwrap_or(0)
    }

    /// Forgets failures.
    pub(crate) fn recovered(&mut self, key: &K) -> u32 {
        self.failures.remove(key);
        0
    }

    pub(crate) fn next_due(&self) -> Option<Duration> {
        self.delayed.keys().next().map(|(due, _)| *due)
    }

    pub(crate) fn depth(&self) -> usize {
        self.queued.len()
    }

    /// Since when the oldest ready key waits without any key being finished.
    pub(crate) fn waiting_since(&self) -> Option<Duration> {
        let oldest = self.ready.values().filter_map(|keys| keys.front()).map(|(_, since)| *since);
        oldest.min().map(|since| since.max(self.last_finish))
    }

    fn cancel_delay(&mut self, key: &K) {
        if let Some(slot) = self.due.remove(key) {
            self.delayed.remove(&slot);
        }
    }
}
