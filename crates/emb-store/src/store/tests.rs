use std::time::Duration;

use core_clock::{ManualClock, SeededEntropy};
use futures::{FutureExt, executor::block_on};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::*;
use crate::{Change, Expect, MemoryLog, WatchEnd};

struct Bed {
    store: Arc<Store>,
    clock: ManualClock,
    log: MemoryLog,
    things: GroupResource,
}

impl Bed {
    fn new(options: Options) -> Self {
        let log = MemoryLog::default();
        let clock = ManualClock::new(Time::from_seconds(1_000));
        let store = open(&log, &clock, options);
        Self { store, clock, log, things: GroupResource::new("test", "things") }
    }

    fn key(&self, name: &str) -> Key {
        Key::new(&self.things, "ns", name)
    }

    fn put(&self, name: &str, object: Value) -> u64 {
        let op = Op::Put { key: self.key(name), object, expect: Expect::Any };
        block_on(self.store.commit(vec![op])).unwrap()[0].revision
    }

    fn delete(&self, name: &str) -> u64 {
        let op = Op::Delete { key: self.key(name), expect: Expect::Any };
        block_on(self.store.commit(vec![op])).unwrap()[0].revision
    }
}

fn names(listing: &Listing) -> Vec<String> {
    listing.entries.iter().map(|entry| format!("{}@{}", entry.key.name, entry.revision)).collect()
}

fn open(log: &MemoryLog, clock: &ManualClock, options: Options) -> Arc<Store> {
    let entropy = Arc::new(SeededEntropy::new(1));
    Store::open(Box::new(log.clone()), Arc::new(clock.clone()), entropy, options).unwrap().0
}

fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    future.now_or_never()
}

#[test]
fn a_commit_is_atomic_and_each_write_takes_one_revision() {
    let bed = Bed::new(Options::default());
    let put = |name, expect| Op::Put { key: bed.key(name), object: json!({}), expect };
    let events = block_on(bed.store.commit(vec![
        put("a", Expect::Absent),
        Op::Check { key: bed.key("a"), expect: Expect::Revision(1) },
        put("b", Expect::Absent),
        Op::Delete { key: bed.key("a"), expect: Expect::Revision(1) },
    ]))
    .unwrap();
    let changes: Vec<_> = events.iter().map(|event| (event.revision, event.change)).collect();
    assert_eq!(changes, [(1, Change::Created), (2, Change::Created), (3, Change::Deleted)]);
    let refused = block_on(bed.store.commit(vec![put("c", Expect::Any), put("b", Expect::Absent)]));
    let Err(CommitError::Conflict { at: 1, current: Some(current) }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!((current.revision, bed.store.revision()), (2, 3));
    assert!(bed.store.get(&bed.key("c")).is_none());
    assert_eq!(
        (bed.store.count(&bed.things), bed.store.resources()),
        (1, vec![bed.things.clone()])
    );
}

#[test]
fn deleting_what_is_not_there_is_a_conflict() {
    let bed = Bed::new(Options::default());
    let op = Op::Delete { key: bed.key("a"), expect: Expect::Any };
    let refused = block_on(bed.store.commit(vec![op]));
    assert!(matches!(refused, Err(CommitError::Conflict { at: 0, current: None })), "{refused:?}");
}

#[test]
fn objects_above_the_limit_are_refused() {
    let bed = Bed::new(Options { max_object_bytes: 100, ..Options::default() });
    let object = json!({"data": "x".repeat(100)});
    let op = Op::Put { key: bed.key("a"), object, expect: Expect::Any };
    let refused = block_on(bed.store.commit(vec![op]));
    assert!(matches!(refused, Err(CommitError::TooLarge { at: 0, limit: 100, .. })));
}

#[test]
fn lists_are_ordered_and_cut_by_range_and_limit() {
    let bed = Bed::new(Options::default());
    for (namespace, name, label) in
        [("b", "x", "1"), ("a", "z", "2"), ("a", "y", "1"), ("c", "w", "1")]
    {
        let key = Key::new(&bed.things, namespace, name);
        let object = json!({"metadata": {"labels": {"l": label}}});
        block_on(bed.store.commit(vec![Op::Put { key, object, expect: Expect::Any }])).unwrap();
    }
    let list = |range| names(&bed.store.list(&bed.things, range));
    assert_eq!(list(Range::default()), ["y@3", "z@2", "x@1", "w@4"]);
    assert_eq!(list(Range { namespace: Some("a"), ..Range::default() }), ["y@3", "z@2"]);
    assert_eq!(list(Range { after: Some(("a", "z")), ..Range::default() }), ["x@1", "w@4"]);
    assert_eq!(list(Range { label: Some(("l", "1")), ..Range::default() }), ["y@3", "x@1", "w@4"]);
    let page = bed.store.list(&bed.things, Range { limit: Some(3), ..Range::default() });
    assert_eq!((page.entries.len(), page.remaining, page.revision), (3, 1, 4));
    assert!(
        list(Range { namespace: Some("a"), after: Some(("b", "")), ..Range::default() }).is_empty()
    );
}

#[test]
fn the_past_reads_as_it_was_from_memory_and_from_the_log() {
    for ring_entries in [0, 2, 4096] {
        let ring = Duration::ZERO;
        let bed = Bed::new(Options { ring_entries, ring_age: ring, ..Options::default() });
        bed.put("a", json!({}));
        bed.put("b", json!({}));
        bed.put("a", json!({"v": 2}));
        bed.delete("b");
        bed.put("c", json!({}));
        let at =
            |revision| names(&bed.store.list_at(&bed.things, Range::default(), revision).unwrap());
        assert_eq!(at(0), [""; 0]);
        assert_eq!(at(2), ["a@1", "b@2"]);
        assert_eq!(at(3), ["a@3", "b@2"]);
        assert_eq!(at(4), ["a@3"]);
        assert_eq!(at(5), ["a@3", "c@5"]);
        let mut watcher = bed.store.watch(&bed.things, 1).unwrap();
        let mut seen = Vec::new();
        while let Some(events) = ready(watcher.next()) {
            seen.extend(events.unwrap().iter().map(|event| event.revision));
        }
        assert_eq!((seen, watcher.revision()), (vec![2, 3, 4, 5], 5));
    }
}

#[test]
fn a_watcher_waits_for_events_and_ends_with_the_store() {
    let bed = Bed::new(Options::default());
    let mut watcher = bed.store.watch(&bed.things, 0).unwrap();
    assert!(ready(watcher.next()).is_none());
    bed.put("a", json!({"spec": 1}));
    bed.delete("a");
    let events = block_on(watcher.next()).unwrap();
    assert_eq!(events[1].entry.value()["metadata"]["resourceVersion"], "2");
    assert_eq!(events[1].entry.value()["spec"], 1);
    assert_eq!(events[1].previous.as_ref().unwrap().revision, 1);
    bed.store.close();
    assert_eq!(block_on(watcher.next()).unwrap_err(), WatchEnd::Closed);
    let refused = block_on(bed.store.commit(vec![]));
    assert!(matches!(refused, Err(CommitError::Closed)));
}

#[test]
fn compaction_forgets_what_is_older_than_the_retention() {
    let bed = Bed::new(Options::default());
    bed.put("a", json!({"v": 1}));
    bed.put("a", json!({"v": 2}));
    let mut idle = bed.store.watch(&GroupResource::new("", "others"), 0).unwrap();
    let mut slow = bed.store.watch(&bed.things, 0).unwrap();
    bed.clock.advance(Duration::from_mins(59));
    bed.put("b", json!({}));
    bed.clock.advance(Duration::from_mins(2));
    bed.store.compact(bed.clock.now());
    assert_eq!(bed.store.compacted(), 2);
    let expired = bed.store.list_at(&bed.things, Range::default(), 1).unwrap_err();
    assert_eq!(expired.to_string(), "too old resource version: 1 (2)");
    assert!(bed.store.watch(&bed.things, 1).is_err());
    assert!(matches!(block_on(slow.next()), Err(WatchEnd::Expired(_))));
    assert!(ready(idle.next()).is_none(), "nothing was lost for a watcher without events");
    assert_eq!(bed.store.list_at(&bed.things, Range::default(), 2).unwrap().entries.len(), 1);
    let reopened = open(&bed.log, &bed.clock, Options::default());
    assert_eq!((reopened.revision(), reopened.compacted()), (3, 2));
}

#[test]
fn the_row_limit_compacts_but_leaves_the_minimum() {
    let options = Options { max_history: 2, ..Options::default() };
    let bed = Bed::new(options);
    for n in 0..5 {
        bed.put("a", json!({"n": n}));
    }
    bed.store.compact(bed.clock.now());
    assert_eq!(bed.store.compacted(), 0);
    bed.clock.advance(Duration::from_mins(6));
    bed.store.compact(bed.clock.now());
    assert_eq!(bed.store.compacted(), 3);
}

#[test]
fn hooks_run_in_order_before_the_commit_resolves_and_may_commit() {
    let bed = Bed::new(Options::default());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (log, store, key) = (seen.clone(), Arc::downgrade(&bed.store), bed.key("b"));
    bed.store.on_commit(Arc::new(move |events| {
        log.lock().extend(events.iter().map(|event| event.revision));
        if log.lock().len() < 3 {
            let op = Op::Put { key: key.clone(), object: json!({}), expect: Expect::Any };
            drop(store.upgrade().unwrap().commit(vec![op]));
        }
    }));
    bed.put("a", json!({}));
    assert_eq!(*seen.lock(), [1, 2, 3]);
}

#[test]
fn owners_find_their_dependents() {
    let bed = Bed::new(Options::default());
    let owned = |uid: &str| json!({"metadata": {"ownerReferences": [{"uid": uid}]}});
    bed.put("a", owned("u1"));
    bed.put("b", owned("u1"));
    bed.put("b", owned("u2"));
    assert_eq!(bed.store.dependents("u1"), [bed.key("a")]);
    assert_eq!(bed.store.dependents("u2"), [bed.key("b")]);
    bed.delete("a");
    assert!(bed.store.dependents("u1").is_empty());
    let reopened = open(&bed.log, &bed.clock, Options::default());
    assert_eq!(reopened.dependents("u2"), [bed.key("b")]);
}

#[test]
fn waiting_for_a_revision_ends_when_it_is_durable() {
    let bed = Bed::new(Options::default());
    assert!(ready(bed.store.wait_for(1)).is_none());
    bed.put("a", json!({}));
    assert!(ready(bed.store.wait_for(1)).is_some());
}

#[test]
fn the_rings_give_way_when_they_hold_too_much() {
    let bed = Bed::new(Options { ring_bytes: 3_000, ..Options::default() });
    for n in 0..20 {
        bed.put("a", json!({"n": n, "data": "x".repeat(500)}));
    }
    let table = bed.store.inner.tables.find(&bed.things).unwrap();
    assert!(table.contents.read().ring.floor() > 10);
    let at = bed.store.list_at(&bed.things, Range::default(), 3).unwrap();
    assert_eq!(at.entries[0].value()["n"], 2);
}

#[test]
fn a_label_index_follows_every_change() {
    let bed = Bed::new(Options::default());
    let labelled = |value: &str| json!({"metadata": {"labels": {"l": value}}});
    for n in 0..300 {
        bed.put(&format!("o{n:03}"), labelled(if n % 100 == 0 { "rare" } else { "common" }));
    }
    let rare = Range { label: Some(("l", "rare")), ..Range::default() };
    let find = |range| names(&bed.store.list(&bed.things, range));
    assert_eq!(find(rare), ["o000@1", "o100@101", "o200@201"]);
    bed.put("o000", labelled("common"));
    bed.put("o005", labelled("rare"));
    bed.put("o100", labelled("rare"));
    bed.delete("o200");
    assert_eq!(find(rare), ["o005@302", "o100@303"]);
    assert_eq!(find(Range { after: Some(("ns", "o005")), limit: Some(5), ..rare }), ["o100@303"]);
    assert!(find(Range { namespace: Some("other"), ..rare }).is_empty());
    assert!(find(Range { label: Some(("l", "none")), ..Range::default() }).is_empty());
    let before = bed.store.list_at(&bed.things, rare, 300).unwrap();
    assert_eq!(names(&before), ["o000@1", "o100@101", "o200@201"]);
}

#[test]
fn figures_tell_how_far_watchers_are_behind() {
    let bed = Bed::new(Options::default());
    let mut quick = bed.store.watch(&bed.things, 0).unwrap();
    let slow = bed.store.watch(&bed.things, 0).unwrap();
    for n in 0..3 {
        bed.put("a", json!({ "n": n }));
    }
    assert_eq!(block_on(quick.next()).unwrap().len(), 3);
    let figures = |bed: &Bed| bed.store.figures().resources.remove(0);
    let before = figures(&bed);
    assert_eq!((before.objects, before.watchers, before.most_behind), (1, 2, 3));
    drop(slow);
    let after = figures(&bed);
    assert_eq!((after.watchers, after.most_behind, after.history_floor), (1, 0, 0));
    assert!(bed.store.figures().ring_bytes > 1_200);
}
