//! What happens when the log is slow or fails, through a log that does only what the test lets it.

use std::{path::Path, time::Duration};

use core_clock::{ManualClock, SeededEntropy};
use futures::{FutureExt, executor::block_on};
use serde_json::json;

use super::*;
use crate::{Done, Expect, Loaded, LogError, MemoryLog, Past, Record, Writes};

type HeldBatch = (Vec<Arc<Event>>, Done<(), LogError>);

/// Keeps batches until the test decides about them.
#[derive(Clone, Default)]
struct HeldLog {
    memory: MemoryLog,
    held: Arc<Mutex<Vec<HeldBatch>>>,
    probe: Arc<Mutex<Option<LogError>>>,
}

impl HeldLog {
    /// Lets the batch in the log end; returns how many events it had.
    fn end(&self, result: Result<(), LogError>) -> usize {
        let (batch, done) = self.held.lock().remove(0);
        let size = batch.len();
        match result {
            Ok(()) => self.memory.append(batch, done),
            Err(error) => done(Err(error)),
        }
        size
    }
}

impl CommitLog for HeldLog {
    fn load(
        &self,
        fresh: Identity,
        accept: &mut dyn FnMut(Record) -> Result<(), String>,
    ) -> Result<Loaded, OpenError> {
        self.memory.load(fresh, accept)
    }
    fn append(&self, batch: Vec<Arc<Event>>, done: Done<(), LogError>) {
        self.held.lock().push((batch, done));
    }
    fn probe(&self, done: Done<(), LogError>) {
        let error = self.probe.lock().clone();
        done(error.map_or(Ok(()), Err));
    }
    fn history(
        &self,
        resource: Option<&GroupResource>,
        after: u64,
        upto: u64,
        limit: usize,
    ) -> Result<Vec<Past>, LogError> {
        self.memory.history(resource, after, upto, limit)
    }
    fn boundary(&self, time: Time) -> Result<u64, LogError> {
        self.memory.boundary(time)
    }
    fn compact(&self, upto: u64) {
        self.memory.compact(upto);
    }
    fn backup(&self, to: &Path, done: Done<(), BackupError>) {
        self.memory.backup(to, done);
    }
    fn close(&self) {}
}

struct Bed {
    store: Arc<Store>,
    log: HeldLog,
    clock: ManualClock,
}

fn bed(options: Options) -> Bed {
    let (log, clock) = (HeldLog::default(), ManualClock::new(Time::default()));
    let entropy = Arc::new(SeededEntropy::new(1));
    let opened =
        Store::open(Box::new(log.clone()), Arc::new(clock.clone()), entropy, options).unwrap();
    Bed { store: opened.0, log, clock }
}

fn key(name: &str) -> Key {
    Key::new(&GroupResource::new("", "things"), "", name)
}

fn put(name: &str, expect: Expect) -> Vec<Op> {
    vec![Op::Put { key: key(name), object: json!({}), expect }]
}

#[test]
fn nothing_is_visible_before_it_is_durable() {
    let bed = bed(Options::default());
    let mut commit = Box::pin(bed.store.commit(put("a", Expect::Absent)));
    assert!((&mut commit).now_or_never().is_none());
    assert!(bed.store.get(&key("a")).is_none());
    assert_eq!(bed.store.head(&key("a")).unwrap().revision, 1);
    assert_eq!(bed.store.revision(), 0);
    bed.log.end(Ok(()));
    assert_eq!(block_on(commit).unwrap()[0].revision, 1);
    assert_eq!(bed.store.get(&key("a")).unwrap().revision, 1);
}

#[test]
fn commits_gather_while_a_batch_is_in_the_log() {
    let bed = bed(Options { batch_operations: 3, ..Options::default() });
    let commits: Vec<_> =
        (0..6).map(|n| bed.store.commit(put(&format!("o{n}"), Expect::Absent))).collect();
    assert_eq!(bed.log.end(Ok(())), 1, "a lone commit goes at once");
    assert_eq!(bed.log.end(Ok(())), 3);
    assert_eq!(bed.log.end(Ok(())), 2);
    let revisions: Vec<u64> =
        commits.into_iter().map(|commit| block_on(commit).unwrap()[0].revision).collect();
    assert_eq!(revisions, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_conflict_is_told_only_when_its_cause_can_be_read() {
    let bed = bed(Options::default());
    let first = bed.store.commit(put("a", Expect::Absent));
    let mut second = Box::pin(bed.store.commit(put("a", Expect::Absent)));
    let check = Op::Check { key: key("a"), expect: Expect::Revision(1) };
    let mut check = Box::pin(bed.store.commit(vec![check]));
    assert!((&mut second).now_or_never().is_none());
    assert!((&mut check).now_or_never().is_none());
    bed.log.end(Ok(()));
    block_on(first).unwrap();
    assert!(matches!(block_on(second), Err(CommitError::Conflict { .. })));
    assert!(block_on(check).unwrap().is_empty());
}

#[test]
fn a_failed_batch_takes_everything_built_on_it_along() {
    let bed = bed(Options::default());
    let first = bed.store.commit(put("a", Expect::Absent));
    let second = bed.store.commit(put("a", Expect::Revision(1)));
    bed.log.end(Err(LogError::DiskFull("full".into())));
    for commit in [block_on(first), block_on(second)] {
        assert!(matches!(&commit, Err(CommitError::ReadOnly(text)) if text.contains("no space")));
    }
    assert!(bed.store.head(&key("a")).is_none());
    assert!(matches!(bed.store.health().writes, Writes::Paused(_)));
    let refused = block_on(bed.store.commit(put("a", Expect::Absent)));
    assert!(matches!(refused, Err(CommitError::ReadOnly(_))));
}

#[test]
fn writes_come_back_when_a_probe_succeeds_and_old_revisions_do_not() {
    let bed = bed(Options::default());
    let failed = bed.store.commit(put("a", Expect::Absent));
    bed.log.end(Err(LogError::DiskFull("full".into())));
    assert!(block_on(failed).is_err());
    *bed.log.probe.lock() = Some(LogError::DiskFull("still full".into()));
    bed.clock.advance(Duration::from_secs(1));
    assert!(matches!(bed.store.health().writes, Writes::Paused(text) if text.contains("still")));
    *bed.log.probe.lock() = None;
    bed.clock.advance(Duration::from_secs(1));
    assert_eq!(bed.store.health().writes, Writes::Accepted);
    let commit = bed.store.commit(put("a", Expect::Absent));
    bed.log.end(Ok(()));
    assert_eq!(block_on(commit).unwrap()[0].revision, 2, "revision 1 was seen by the head");
}

#[test]
fn a_failed_fsync_stops_writing_for_good_and_reads_go_on() {
    let bed = bed(Options::default());
    let commit = bed.store.commit(put("a", Expect::Absent));
    bed.log.end(Ok(()));
    block_on(commit).unwrap();
    drop(bed.store.commit(put("b", Expect::Absent)));
    bed.log.end(Err(LogError::Fatal("fsync".into())));
    bed.clock.advance(Duration::from_hours(1));
    assert!(matches!(bed.store.health().writes, Writes::Stopped(_)));
    let refused = block_on(bed.store.commit(put("b", Expect::Absent)));
    assert!(matches!(refused, Err(CommitError::ReadOnly(_))));
    assert!(bed.store.get(&key("a")).is_some());
}

#[test]
fn a_dropped_future_does_not_lose_the_write() {
    let bed = bed(Options::default());
    drop(bed.store.commit(put("a", Expect::Absent)));
    bed.log.end(Ok(()));
    assert!(bed.store.get(&key("a")).is_some());
    bed.store.close();
}

#[test]
fn a_panicking_hook_does_not_stop_the_store() {
    let bed = bed(Options::default());
    bed.store.on_commit(Arc::new(|_| panic!("faulty")));
    let commit = bed.store.commit(put("a", Expect::Absent));
    bed.log.end(Ok(()));
    assert!(block_on(commit).is_ok());
}
