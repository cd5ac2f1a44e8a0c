use std::{fs, time::Duration};

use core_clock::{Clock, ManualClock, SeededEntropy};
use futures::executor::block_on;
use serde_json::{Value, json};

use super::*;
use crate::{Expect, Key, Op, OpenReport, Options, Range, Store};

fn clock() -> ManualClock {
    ManualClock::new(Time::from_seconds(1_700_000_000))
}

fn open_with(
    directory: &Path,
    clock: &ManualClock,
    options: Options,
) -> Result<(Arc<Store>, OpenReport), OpenError> {
    let log = Box::new(SqliteLog::open(directory, "127.0.0.1:6443")?);
    Store::open(log, Arc::new(clock.clone()), Arc::new(SeededEntropy::new(3)), options)
}

fn open(directory: &Path) -> (Arc<Store>, OpenReport) {
    open_with(directory, &clock(), Options::default()).unwrap()
}

fn things() -> GroupResource {
    GroupResource::new("test", "things")
}

fn put(store: &Store, name: &str, object: Value) -> u64 {
    let key = Key::new(&things(), "ns", name);
    block_on(store.commit(vec![Op::Put { key, object, expect: Expect::Any }])).unwrap()[0].revision
}

fn delete(store: &Store, name: &str) {
    let key = Key::new(&things(), "ns", name);
    block_on(store.commit(vec![Op::Delete { key, expect: Expect::Any }])).unwrap();
}

fn names(store: &Store) -> Vec<String> {
    let listing = store.list(&things(), Range::default());
    listing.entries.iter().map(|entry| format!("{}@{}", entry.key.name, entry.revision)).collect()
}

fn sql(directory: &Path, statement: &str) {
    Connection::open(directory.join(DATABASE)).unwrap().execute_batch(statement).unwrap();
}

#[test]
fn what_was_committed_is_there_after_reopening_and_watchers_go_on() {
    let directory = tempfile::tempdir().unwrap();
    let (store, report) = open(directory.path());
    assert_eq!((report.revision, report.objects, report.unclean), (0, 0, false));
    put(&store, "a", json!({"v": 1}));
    put(&store, "b", json!({"metadata": {"labels": {"l": "1"}}}));
    put(&store, "a", json!({"v": 2}));
    delete(&store, "b");
    let before: Vec<_> = (0..=4)
        .map(|at| format!("{:?}", store.list_at(&things(), Range::default(), at).unwrap().entries))
        .collect();
    let identity = store.identity().clone();
    store.close();
    let small = Options { ring_entries: 2, ..Options::default() };
    for options in [Options::default(), small] {
        let (store, report) = open_with(directory.path(), &clock(), options).unwrap();
        assert_eq!((report.revision, report.objects, report.unclean), (4, 1, false));
        assert_eq!(report.identity, identity);
        assert_eq!(names(&store), ["a@3"]);
        for (at, expected) in (0..).zip(&before) {
            let listing = store.list_at(&things(), Range::default(), at).unwrap();
            assert_eq!(format!("{:?}", listing.entries), *expected);
        }
        let mut watcher = store.watch(&things(), 0).unwrap();
        let mut seen = Vec::new();
        while seen.len() < 4 {
            seen.extend(block_on(watcher.next()).unwrap());
        }
        assert_eq!(seen[3].entry.value()["metadata"]["resourceVersion"], "4");
        assert_eq!(seen[2].previous.as_ref().unwrap().value()["v"], 1);
        assert_eq!(seen[3].entry.label("l"), Some("1"));
        store.close();
    }
}

#[test]
fn a_store_whose_process_died_before_it_had_tables_is_new() {
    let beginnings = [
        "",
        "PRAGMA journal_mode = WAL",
        "PRAGMA page_size = 8192; PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL",
    ];
    for (number, beginning) in beginnings.into_iter().enumerate() {
        let directory = tempfile::tempdir().unwrap();
        sql(directory.path(), beginning);
        let opened = open_with(directory.path(), &clock(), Options::default());
        // The file of another program is another program's.
        assert_eq!(opened.is_ok(), number != 1, "{beginning}");
    }
}

#[test]
fn a_store_that_was_not_closed_is_checked_and_opened() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path());
    put(&store, "a", json!({}));
    store.close();
    sql(directory.path(), "UPDATE meta SET value = 0 WHERE key = 'clean'");
    let (store, report) = open(directory.path());
    assert!(report.unclean);
    assert_eq!(names(&store), ["a@1"]);
}

#[test]
fn a_damaged_row_is_set_aside_and_everyone_starts_over() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path());
    put(&store, "a", json!({}));
    put(&store, "b", json!({}));
    put(&store, "c", json!({}));
    store.close();
    sql(
        directory.path(),
        "UPDATE log SET body = replace(body, 'metadata', 'metadatA') WHERE rev = 2",
    );
    sql(directory.path(), "DELETE FROM log WHERE rev = 3");
    let (store, report) = open(directory.path());
    let lost: Vec<_> = report.quarantined.iter().map(|row| &*row.key.name).collect();
    assert_eq!(lost, ["b", "c"]);
    assert_eq!((names(&store), store.health().quarantined), (vec!["a@1".to_owned()], 2));
    assert!(store.watch(&things(), 3).is_err());
    assert_eq!(put(&store, "b", json!({})), 5);
    store.close();
    let (_, report) = open(directory.path());
    assert!(report.quarantined.is_empty());
}

#[test]
fn the_directory_can_be_open_once_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path());
    let refused = open_with(directory.path(), &clock(), Options::default());
    let Err(OpenError::Locked { pid, address }) = refused.map(drop) else { panic!("opened twice") };
    assert_eq!((pid, address.as_str()), (std::process::id(), "127.0.0.1:6443"));
    drop(store);
    open(directory.path());
}

#[test]
fn files_that_are_no_store_or_too_new_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join(DATABASE), vec![b'x'; 8192]).unwrap();
    let refused = open_with(directory.path(), &clock(), Options::default()).map(drop);
    assert!(matches!(refused, Err(OpenError::Damaged(_))), "{refused:?}");
    let directory = tempfile::tempdir().unwrap();
    open(directory.path()).0.close();
    sql(directory.path(), "UPDATE meta SET value = 9 WHERE key = 'format'");
    let refused = open_with(directory.path(), &clock(), Options::default()).map(drop);
    assert!(
        matches!(refused, Err(OpenError::NewerFormat { found: 9, supported: 2 })),
        "{refused:?}"
    );
}

#[test]
fn compaction_shrinks_the_file_and_keeps_the_present() {
    let directory = tempfile::tempdir().unwrap();
    let clock = clock();
    let (store, _) = open_with(directory.path(), &clock, Options::default()).unwrap();
    for n in 0..600 {
        put(&store, "a", json!({"n": n, "data": "x".repeat(5_000)}));
    }
    put(&store, "gone", json!({}));
    delete(&store, "gone");
    clock.advance(Duration::from_hours(2));
    put(&store, "b", json!({}));
    store.compact(clock.now());
    assert_eq!(store.compacted(), 602);
    store.close();
    let (store, report) = open_with(directory.path(), &clock, Options::default()).unwrap();
    // Closing does not wait for housekeeping; it goes on with the next compaction.
    assert!(report.compacted <= 602 && report.revision == 603);
    store.compact(clock.now());
    let size = || fs::metadata(directory.path().join(DATABASE)).unwrap().len();
    let compacted = || {
        let reader = schema::open_reader(&directory.path().join(DATABASE)).unwrap();
        let free: i64 = reader.query_row("PRAGMA freelist_count", [], |row| row.get(0)).unwrap();
        schema::compacted(&reader).unwrap() == 602 && free == 0
    };
    for _ in 0..1_000 {
        if compacted() {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(names(&store), ["a@600", "b@603"]);
    store.close();
    assert!(size() < 300_000, "{}", size());
    let (store, _) = open_with(directory.path(), &clock, Options::default()).unwrap();
    assert_eq!((names(&store).len(), store.revision(), store.compacted()), (2, 603, 602));
}

#[test]
fn a_backup_under_load_restores_above_every_known_revision() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path());
    for n in 0..50 {
        put(&store, &format!("o{n}"), json!({"n": n}));
    }
    let snapshot = directory.path().join("snapshot.db");
    let writer = {
        let store = store.clone();
        thread::spawn(move || {
            for n in 0..200 {
                put(&store, "busy", json!({"n": n}));
            }
        })
    };
    block_on(store.backup(&snapshot)).unwrap();
    writer.join().unwrap();
    let refused = restore(&snapshot, directory.path(), &clock(), &SeededEntropy::new(9));
    assert!(matches!(refused, Err(OpenError::Locked { .. })), "{refused:?}");
    let (identity, revision) = (store.identity().clone(), store.revision());
    store.close();
    drop(store);
    let restored = restore(&snapshot, directory.path(), &clock(), &SeededEntropy::new(9)).unwrap();
    assert!(restored.replaced.is_some_and(|file| file.exists()));
    let (store, report) = open(directory.path());
    assert!(report.quarantined.is_empty() && report.objects >= 50);
    assert!(store.revision() >= revision + 1_000 && store.revision() == store.compacted());
    assert_eq!(store.revision(), restored.revision);
    assert_ne!(store.identity().uuid, identity.uuid);
    assert_eq!(store.identity().epoch, identity.epoch + 1);
    assert!(store.watch(&things(), revision).is_err());
    assert_eq!(put(&store, "o1", json!({})), restored.revision + 1);
    store.close();
    let (store, _) = open(directory.path());
    assert_eq!(store.revision(), restored.revision + 1);
}

#[test]
fn a_damaged_snapshot_is_not_restored() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path());
    put(&store, "a", json!({}));
    let snapshot = directory.path().join("snapshot.db");
    block_on(store.backup(&snapshot)).unwrap();
    store.close();
    let damage = Connection::open(&snapshot).unwrap();
    damage.execute_batch("UPDATE log SET written_at = 1").unwrap();
    drop(damage);
    let refused = restore(&snapshot, directory.path(), &clock(), &SeededEntropy::new(9));
    assert!(matches!(refused, Err(OpenError::Snapshot { .. })), "{refused:?}");
    assert_eq!(names(&open(directory.path()).0), ["a@1"]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let (store, _) = open(&data);
    put(&store, "a", json!({}));
    for file in [data.clone(), data.join(DATABASE), data.join("store.db-wal")] {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0, "{file:?}");
    }
}

#[test]
fn a_full_disk_pauses_writes_and_loses_nothing_that_was_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(DATABASE);
    let connection = schema::open_writer(&file).unwrap();
    // SQLite reports its own limit as it reports the disk's.
    connection.execute_batch("PRAGMA max_page_count = 40").unwrap();
    let mark = Mark::open(directory.path()).unwrap();
    let opened = Opened { connection, unclean: false, mark, rewrite: None };
    let log = SqliteLog {
        keyring: None,
        phase: Mutex::new(Phase::Opened(opened)),
        reader: Mutex::new(Some(schema::open_reader(&file).unwrap())),
        lock: Mutex::new(None),
        file,
    };
    let (clock, entropy) = (clock(), Arc::new(SeededEntropy::new(1)));
    let opened = Store::open(Box::new(log), Arc::new(clock.clone()), entropy, Options::default());
    let store = opened.unwrap().0;
    let object = json!({"data": "x".repeat(20_000)});
    let key = |n: u64| Key::new(&things(), "ns", format!("o{n}"));
    let put = |n| Op::Put { key: key(n), object: object.clone(), expect: Expect::Absent };
    let full = (0..100).find(|n| block_on(store.commit(vec![put(*n)])).is_err()).unwrap();
    assert!(full > 2, "{full}");
    clock.advance(Duration::from_secs(5));
    let health = store.health();
    assert!(matches!(health.writes, crate::Writes::Paused(_)), "{health:?}");
    assert!(store.get(&key(0)).is_some() && store.get(&key(full)).is_none());
    store.close();
    let (store, report) = open(directory.path());
    assert_eq!((report.objects as u64, store.revision()), (full, full));
    block_on(store.commit(vec![put(full)])).unwrap();
}

#[test]
fn an_older_format_is_brought_up_to_date_and_a_copy_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path());
    put(&store, "a", json!({}));
    store.close();
    sql(directory.path(), "UPDATE meta SET value = 1 WHERE key = 'format'");
    sql(directory.path(), "DELETE FROM meta WHERE key = 'digest'");
    let (store, _) = open(directory.path());
    assert_eq!(put(&store, "b", json!({})), 2);
    store.close();
    assert!(directory.path().join("store.db.format-1").exists());
    assert_eq!(names(&open(directory.path()).0), ["a@1", "b@2"]);
}

#[test]
fn an_object_that_vanished_from_the_list_is_missed() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path());
    for name in ["a", "b", "a"] {
        put(&store, name, json!({}));
    }
    store.close();
    let statements = [
        "DELETE FROM current WHERE name = 'b'",
        "UPDATE current SET rev = 1 WHERE name = 'a'",
        "UPDATE kinds SET resource = 'thinks'",
        "INSERT INTO meta VALUES ('last_revision', 4611686018427387905)",
        "DROP INDEX log_by_kind",
    ];
    let sound = fs::read(directory.path().join(DATABASE)).unwrap();
    for statement in statements {
        fs::write(directory.path().join(DATABASE), &sound).unwrap();
        sql(directory.path(), statement);
        let refused = open_with(directory.path(), &clock(), Options::default()).map(drop);
        assert!(matches!(refused, Err(OpenError::Damaged(_))), "{statement}: {refused:?}");
    }
}

#[test]
fn a_store_that_lost_its_newest_part_gives_no_revision_out_again() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(DATABASE);
    let (store, _) = open(directory.path());
    put(&store, "a", json!({}));
    store.close();
    let older = fs::read(&file).unwrap();
    let (store, _) = open(directory.path());
    put(&store, "b", json!({}));
    put(&store, "c", json!({}));
    store.close();
    fs::write(&file, older).unwrap();
    let refused = open_with(directory.path(), &clock(), Options::default()).map(drop);
    assert!(matches!(refused, Err(OpenError::Behind { found: 1, marked: 3 })), "{refused:?}");
    let repaired = repair(directory.path(), &clock(), &SeededEntropy::new(4)).unwrap();
    assert_eq!(repaired.losses, [Loss::Newest { found: 1, revision: 3 }]);
    let (store, _) = open(directory.path());
    assert_eq!(names(&store), ["a@1"]);
    assert!(store.revision() > 1_000_000_000 && store.watch(&things(), 3).is_err());
}

#[test]
fn compaction_never_does_more_than_a_little_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let (store, _) = open(directory.path());
    for n in 0..1_000 {
        put(&store, &format!("o{}", n % 7), json!({"n": n, "data": "x".repeat(3_000)}));
    }
    for n in 0..20 {
        put(&store, "large", json!({"n": n, "data": "x".repeat(1_000_000)}));
    }
    store.close();
    let mut connection = schema::open_writer(&directory.path().join(DATABASE)).unwrap();
    let free = |connection: &Connection| -> i64 {
        connection.query_row("PRAGMA freelist_count", [], |row| row.get(0)).unwrap()
    };
    let mut compaction = compaction::Compaction::new(1_020);
    let mut steps = 0;
    loop {
        let (changes, pages) = (connection.total_changes(), free(&connection));
        let more = compaction.step(&mut connection).unwrap();
        steps += 1;
        let (changes, freed) = (connection.total_changes() - changes, free(&connection) - pages);
        // The rows of a step, the record of it, and the pages of three megabytes.
        assert!(changes <= 401 && (-64..=400).contains(&freed), "{steps}: {changes} {freed}");
        if !more {
            break;
        }
    }
    assert!(steps > 20 && free(&connection) == 0, "{steps}");
}
