//! Many at once: no event is lost or out of order, and callers share fsyncs.

use std::{path::Path, sync::Arc, time::Duration};

use core_clock::{ManualClock, SeededEntropy, Time};
use emb_meta::GroupResource;
use emb_store::{CommitLog, Expect, Key, MemoryLog, Op, Options, SqliteLog, Store, Watcher};
use serde_json::json;

fn open(log: Box<dyn CommitLog>) -> Arc<Store> {
    let clock = Arc::new(ManualClock::new(Time::from_seconds(1_000_000)));
    Store::open(log, clock, Arc::new(SeededEntropy::new(1)), Options::default()).unwrap().0
}

fn things() -> GroupResource {
    GroupResource::new("test", "things")
}

fn put(name: String) -> Vec<Op> {
    let object = json!({"data": "x".repeat(1_000)});
    vec![Op::Put { key: Key::new(&things(), "ns", name), object, expect: Expect::Any }]
}

async fn collect(mut watcher: Watcher, count: usize) -> Vec<u64> {
    let mut seen = Vec::with_capacity(count);
    while seen.len() < count {
        seen.extend(watcher.next().await.unwrap().iter().map(|event| event.revision));
    }
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_watchers_see_a_thousand_events_in_order() {
    let store = open(Box::new(MemoryLog::default()));
    let mut watchers = tokio::task::JoinSet::new();
    for _ in 0..1_000 {
        watchers.spawn(collect(store.watch(&things(), 0).unwrap(), 1_000));
    }
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..10 {
        let store = store.clone();
        writers.spawn(async move {
            for n in 0..100 {
                store.commit(put(format!("o{writer}-{n}"))).await.unwrap();
                tokio::task::yield_now().await;
            }
        });
    }
    writers.join_all().await;
    let expected: Vec<u64> = (1..=1_000).collect();
    while let Some(seen) = watchers.join_next().await {
        assert_eq!(seen.unwrap(), expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_share_the_disk_and_every_acknowledged_write_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let sqlite = |path: &Path| Box::new(SqliteLog::open(path, "").unwrap());
    let store = open(sqlite(directory.path()));
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..64 {
        let store = store.clone();
        callers.spawn(async move {
            for n in 0..20 {
                store.commit(put(format!("o{caller}-{n}"))).await.unwrap();
            }
        });
    }
    tokio::time::timeout(Duration::from_mins(1), callers.join_all()).await.unwrap();
    assert_eq!((store.revision(), store.count(&things())), (1_280, 1_280));
    store.close();
    let store = open(sqlite(directory.path()));
    assert_eq!((store.revision(), store.count(&things())), (1_280, 1_280));
}
