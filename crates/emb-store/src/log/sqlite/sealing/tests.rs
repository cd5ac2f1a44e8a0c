use std::{fs, path::Path, sync::Arc, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use core_clock::{ManualClock, SeededEntropy, Time};
use emb_meta::GroupResource;
use futures::executor::block_on;
use serde_json::json;

use super::*;
use crate::{
    Expect, Key, Op, Options, Range, SqliteLog, SqliteOptions, Store,
    log::sqlite::{DATABASE, restore},
};

const VALUE: &str = "correct horse battery staple";

fn secrets() -> GroupResource {
    GroupResource::new("", "secrets")
}

fn keys(lines: &[u8]) -> SqliteOptions {
    let lines: Vec<String> = lines.iter().map(|byte| STANDARD.encode([*byte; 32])).collect();
    let ring = Keyring::parse(&lines.join("\n"), [secrets()], Arc::new(SeededEntropy::new(9)));
    SqliteOptions { keyring: Some(Arc::new(ring.unwrap())), network_file_system: true }
}

fn open(directory: &Path, options: SqliteOptions) -> Result<(Arc<Store>, usize), OpenError> {
    let log = SqliteLog::open_with(directory, "", options)?;
    let left = log.left_to_seal();
    let clock = Arc::new(ManualClock::new(Time::from_seconds(1_700_000_000)));
    let entropy = Arc::new(SeededEntropy::new(3));
    Ok((Store::open(Box::new(log), clock, entropy, Options::default())?.0, left))
}

fn put(store: &Store, name: &str, value: &str) {
    let key = Key::new(&secrets(), "ns", name);
    let object = json!({"data": value, "metadata": {"labels": {"of": name}}});
    block_on(store.commit(vec![Op::Put { key, object, expect: Expect::Any }])).unwrap();
}

fn fill(store: &Store) {
    for n in 0..100 {
        put(store, &format!("s{}", n % 40), &format!("{VALUE} {n}"));
    }
    put(store, "large", &VALUE.repeat(2_000));
    let key = Key::new(&secrets(), "ns", "s3");
    block_on(store.commit(vec![Op::Delete { key, expect: Expect::Any }])).unwrap();
}

fn values(store: &Store) -> Vec<String> {
    let listing = store.list(&secrets(), Range::default());
    listing.entries.iter().map(|entry| entry.value()["data"].to_string()).collect()
}

/// Whether any file below the directory shows the value.
fn is_shown(directory: &Path) -> bool {
    let files = fs::read_dir(directory).unwrap().map(|entry| fs::read(entry.unwrap().path()));
    let shows = |bytes: Vec<u8>| bytes.windows(VALUE.len()).any(|part| part == VALUE.as_bytes());
    files.filter_map(Result::ok).any(shows)
}

fn wait_until_sealed(directory: &Path, options: &SqliteOptions) {
    let reader = schema::open_reader(&directory.join(DATABASE)).unwrap();
    let first = options.keyring.as_ref().unwrap().first().to_string();
    for _ in 0..2_000 {
        let complete: Option<String> = schema::get_meta(&reader, COMPLETE).unwrap();
        if complete.is_some_and(|id| id == first) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("not sealed in time");
}

#[test]
fn no_file_of_a_store_with_keys_ever_shows_a_secret() {
    let directory = tempfile::tempdir().unwrap();
    let (store, left) = open(directory.path(), keys(&[1])).unwrap();
    assert_eq!(left, 0);
    fill(&store);
    let map = Key::new(&GroupResource::new("", "configmaps"), "ns", "m");
    let object = json!({"data": "in the open"});
    block_on(store.commit(vec![Op::Put { key: map, object, expect: Expect::Any }])).unwrap();
    assert!(!is_shown(directory.path()));
    let snapshot = directory.path().join("snapshot");
    block_on(store.backup(&snapshot)).unwrap();
    let (now, then) = (values(&store), store.list_at(&secrets(), Range::default(), 60).unwrap());
    store.close();
    assert!(!is_shown(directory.path()));
    let (store, left) = open(directory.path(), keys(&[1])).unwrap();
    assert_eq!((values(&store), left), (now.clone(), 0));
    let again = store.list_at(&secrets(), Range::default(), 60).unwrap();
    assert_eq!(format!("{:?}", again.entries), format!("{:?}", then.entries));
    store.close();
    let other = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(Time::from_seconds(1_700_000_000));
    restore(&snapshot, other.path(), &clock, &SeededEntropy::new(5)).unwrap();
    assert!(open(other.path(), SqliteOptions::default()).is_err());
    assert_eq!(values(&open(other.path(), keys(&[1])).unwrap().0), now);
}

#[test]
fn what_was_written_in_clear_text_is_sealed_beside_the_work_and_leaves_no_trace() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path(), SqliteOptions::default()).unwrap();
    fill(&store);
    let now = values(&store);
    store.close();
    assert!(is_shown(directory.path()));
    let (store, left) = open(directory.path(), keys(&[1])).unwrap();
    assert_eq!(left, 101);
    wait_until_sealed(directory.path(), &keys(&[1]));
    assert_eq!(store.list_at(&secrets(), Range::default(), 10).unwrap().entries.len(), 10);
    store.close();
    let (store, left) = open(directory.path(), keys(&[1])).unwrap();
    assert_eq!((left, is_shown(directory.path())), (0, false));
    assert_eq!(values(&store), now);
}

#[test]
fn keys_are_changed_by_putting_another_one_first() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path(), keys(&[1])).unwrap();
    fill(&store);
    let now = values(&store);
    store.close();
    let refused = |options| match open(directory.path(), options) {
        Err(OpenError::MissingKey { key }) => key,
        other => panic!("{:?}", other.map(drop)),
    };
    let first = keys(&[1]).keyring.unwrap().first().to_string();
    assert_eq!(refused(SqliteOptions::default()), first);
    assert_eq!(refused(keys(&[2])), first);
    let (store, left) = open(directory.path(), keys(&[2, 1])).unwrap();
    assert_eq!((left, values(&store)), (101, now.clone()));
    wait_until_sealed(directory.path(), &keys(&[2]));
    store.close();
    let (store, left) = open(directory.path(), keys(&[2])).unwrap();
    assert_eq!((left, values(&store)), (0, now));
    store.close();
    assert_eq!(refused(keys(&[1])), keys(&[2]).keyring.unwrap().first().to_string());
}

#[test]
fn a_change_of_keys_that_is_cut_short_needs_both_and_goes_on_with_the_next_process() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path(), keys(&[1])).unwrap();
    fill(&store);
    let now = values(&store);
    store.close();
    let keyring = keys(&[2, 1]).keyring.unwrap();
    let connection = schema::open_writer(&directory.path().join(DATABASE)).unwrap();
    let mut rewrite = begin(&connection, Some(&keyring)).unwrap().unwrap();
    assert!(rewrite.step(&connection, &keyring).unwrap());
    drop(connection);
    for (given, missing) in [(2, 1), (1, 2)] {
        let wanted = keys(&[missing]).keyring.unwrap().first().to_string();
        match open(directory.path(), keys(&[given])) {
            Err(OpenError::MissingKey { key }) => assert_eq!(key, wanted),
            other => panic!("{:?}", other.map(drop)),
        }
    }
    let (store, left) = open(directory.path(), keys(&[2, 1])).unwrap();
    assert!((1..101).contains(&left), "{left}");
    assert_eq!(values(&store), now);
    wait_until_sealed(directory.path(), &keys(&[2]));
    store.close();
    let (store, left) = open(directory.path(), keys(&[2])).unwrap();
    assert_eq!((left, values(&store)), (0, now));
}

#[test]
fn a_body_that_was_put_into_another_row_is_set_aside() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path(), keys(&[1])).unwrap();
    put(&store, "a", "mine");
    put(&store, "b", "yours");
    store.close();
    let connection = Connection::open(directory.path().join(DATABASE)).unwrap();
    let sql = "SELECT body FROM log WHERE rev = 2";
    let body: Vec<u8> = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    let row = crate::log::sqlite::row::StoredRow {
        rev: 1,
        kind_id: 1,
        ns: "ns",
        name: "a",
        op: 0,
        uid: "",
        prev_rev: 0,
        written_at: 1_700_000_000_000_000,
        body: &body,
    };
    row.replace_body(&connection).unwrap();
    drop(connection);
    let (store, _) = open(directory.path(), keys(&[1])).unwrap();
    assert_eq!((values(&store), store.health().quarantined), (vec!["\"yours\"".to_owned()], 1));
}
