//! What is written: a fixed number of objects that change all the time, and some that come and go.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use core_clock::{Entropy, ManualClock, SeededEntropy};
use emb_meta::GroupResource;
use emb_store::{Expect, Key, Op, Options, Range, SqliteLog, Store, Watcher};
use futures::{FutureExt, executor::block_on, future::join_all};
use serde_json::{Value, json};

/// Objects that live through the day.
const STANDING: u64 = 4_000;
/// Commits that share a second, as those of many callers do.
const COMMITS_PER_SECOND: usize = 8;
/// Of a hundred writes so many are for objects that come and go.
const FLEETING_PERCENT: u64 = 20;
/// The most of them at a time.
const FLEETING: u64 = 2_000;

pub(crate) struct Load {
    store: Arc<Store>,
    entropy: SeededEntropy,
    writes_per_second: usize,
    pub(crate) writes: u64,
    /// What must be there, by its last revision.
    expected: BTreeMap<Key, u64>,
    watchers: Vec<Watcher>,
    pub(crate) events: u64,
    /// The longest that the commits of a second took, which includes what compaction did between them.
    pub(crate) slowest: Duration,
}

impl Load {
    pub(crate) fn new(store: Arc<Store>, seed: u64, writes_per_second: usize) -> Self {
        let watchers = kinds().iter().filter_map(|kind| store.watch(kind, 0).ok()).collect();
        Self {
            store,
            entropy: SeededEntropy::new(seed),
            writes_per_second,
            writes: 0,
            expected: BTreeMap::new(),
            watchers,
            events: 0,
            slowest: Duration::ZERO,
        }
    }

    /// The writes of one second, in commits that go together, and a look at what watchers get of them.
    pub(crate) fn one_second(&mut self) -> Result<()> {
        let mut operations: BTreeMap<Key, Op> = BTreeMap::new();
        while operations.len() < self.writes_per_second {
            let (key, op) = self.operation();
            operations.insert(key, op);
        }
        let mut commits = vec![Vec::new(); COMMITS_PER_SECOND];
        for (at, (_, op)) in operations.into_iter().enumerate() {
            if let Some(commit) = commits.get_mut(at % COMMITS_PER_SECOND) {
                commit.push(op);
            }
        }
        let begin = Instant::now();
        let pending = commits.into_iter().map(|ops| self.store.commit(ops));
        let outcomes = block_on(join_all(pending));
        self.slowest = self.slowest.max(begin.elapsed());
        for events in outcomes {
            for event in events? {
                self.writes += 1;
                match event.change {
                    emb_store::Change::Deleted => drop(self.expected.remove(&event.key)),
                    _ => drop(self.expected.insert(event.key.clone(), event.revision)),
                }
            }
        }
        self.follow()
    }

    /// How many bytes of JSON are there.
    pub(crate) fn live_bytes(&self) -> u64 {
        let listings = kinds().map(|kind| self.store.list(&kind, Range::default()).entries);
        listings.iter().flatten().map(|entry| entry.body.len() as u64).sum()
    }

    /// Opens the store once more: everything that was written last is there, and nothing else.
    pub(crate) fn check_after_restart(
        self,
        directory: &Path,
        clock: &ManualClock,
        options: &Options,
    ) -> Result<()> {
        let Self { expected, store, watchers, .. } = self;
        drop((store, watchers));
        let log = Box::new(SqliteLog::open(directory, "")?);
        let entropy = Arc::new(SeededEntropy::new(2));
        let (store, report) = Store::open(log, Arc::new(clock.clone()), entropy, options.clone())?;
        ensure!(report.quarantined.is_empty() && !report.unclean, "{report:?}");
        let listings = kinds().map(|kind| store.list(&kind, Range::default()).entries);
        let found: BTreeMap<Key, u64> =
            listings.iter().flatten().map(|entry| (entry.key.clone(), entry.revision)).collect();
        ensure!(found == expected, "{} objects instead of {}", found.len(), expected.len());
        Ok(())
    }

    fn operation(&self) -> (Key, Op) {
        let [standing, fleeting] = kinds();
        if self.entropy.below(100) >= FLEETING_PERCENT {
            let key = self.key(&standing, STANDING);
            return (key.clone(), Op::Put { key, object: self.object(), expect: Expect::Any });
        }
        let key = self.key(&fleeting, FLEETING);
        let op = if self.store.get(&key).is_some() {
            Op::Delete { key: key.clone(), expect: Expect::Any }
        } else {
            Op::Put { key: key.clone(), object: self.object(), expect: Expect::Any }
        };
        (key, op)
    }

    fn key(&self, kind: &GroupResource, count: u64) -> Key {
        let number = self.entropy.below(count);
        Key::new(kind, format!("project-{}", number % 40), format!("object-{number}"))
    }

    fn object(&self) -> Value {
        let length = usize::try_from(200 + self.entropy.below(600)).unwrap_or(200);
        json!({
            "metadata": {"uid": self.entropy.uuid(), "labels": {"of": "churn"}},
            "status": {"message": "x".repeat(length)},
        })
    }

    /// Takes every event that is there; none may be missing.
    fn follow(&mut self) -> Result<()> {
        for watcher in &mut self.watchers {
            while let Some(events) = watcher.next().now_or_never() {
                self.events += events?.len() as u64;
            }
        }
        ensure!(self.events == self.writes, "{} of {} events", self.events, self.writes);
        Ok(())
    }
}

fn kinds() -> [GroupResource; 2] {
    ["standing", "fleeting"].map(|plural| GroupResource::new("churn.example.com", plural))
}
