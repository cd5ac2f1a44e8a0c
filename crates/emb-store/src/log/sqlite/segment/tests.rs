use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use core_clock::{Clock, ManualClock, SeededEntropy, Time};
use emb_meta::GroupResource;
use futures::executor::block_on;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    Expect, Key, Keyring, Op, Options, SqliteLog, SqliteOptions, Store,
    log::sqlite::{load, restore, row::Bodies, snapshot},
};

#[derive(Clone, Debug)]
enum Action {
    Put(usize, usize, u8),
    Delete(usize, usize),
    Advance(u64),
    Compact,
    /// Takes the next segment, of at most so many rows.
    Ship(usize),
    /// Takes a new base, wherever the last segment has come to.
    Rebase,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        8 => (0..3usize, 0..4usize, any::<u8>()).prop_map(|(k, n, v)| Action::Put(k, n, v)),
        3 => (0..3usize, 0..4usize).prop_map(|(kind, name)| Action::Delete(kind, name)),
        2 => (1..120u64).prop_map(Action::Advance),
        1 => Just(Action::Compact),
        3 => (1..8usize).prop_map(Action::Ship),
        1 => Just(Action::Rebase),
    ]
}

fn kind(number: usize) -> GroupResource {
    GroupResource::new("", ["things", "secrets", "others"][number])
}

fn options(is_sealed: bool) -> SqliteOptions {
    let key = STANDARD.encode([7; 32]);
    let ring = || Keyring::parse(&key, [kind(1)], Arc::new(SeededEntropy::new(9))).unwrap();
    SqliteOptions { keyring: is_sealed.then(|| Arc::new(ring())), network_file_system: true }
}

/// A store, and what is kept of it elsewhere.
struct Case {
    directory: tempfile::TempDir,
    clock: ManualClock,
    store: Arc<Store>,
    last: u64,
}

impl Case {
    fn new(is_sealed: bool) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = ManualClock::new(Time::from_seconds(1_700_000_000));
        let store = open(&directory.path().join("data"), &clock, is_sealed);
        let mut case = Self { directory, clock, store, last: 0 };
        case.rebase();
        case
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    fn base(&self) -> PathBuf {
        self.directory.path().join("base.db")
    }

    fn put(&self, kind_number: usize, name: usize, value: u8) {
        let key = Key::new(&kind(kind_number), "ns", format!("n{name}"));
        let object = json!({"value": value, "metadata": {"uid": format!("u{value}")}});
        block_on(self.store.commit(vec![Op::Put { key, object, expect: Expect::Any }])).unwrap();
    }

    fn delete(&self, kind_number: usize, name: usize) {
        let key = Key::new(&kind(kind_number), "ns", format!("n{name}"));
        // It may not be there.
        let _ = block_on(self.store.commit(vec![Op::Delete { key, expect: Expect::Any }]));
    }

    fn rebase(&mut self) {
        snapshot(&self.data(), &self.base()).unwrap();
        self.last = position(&self.base()).unwrap().revision;
    }

    fn next(&self, rows: usize) -> Result<Option<Segment>, SegmentError> {
        read_segment(&self.data(), self.last, SegmentLimit { rows, ..SegmentLimit::default() })
    }

    /// Ships what there is, as often as needed, and at most so many rows at once. Whether there was anything.
    fn ship(&mut self, rows: usize) -> bool {
        match self.next(rows) {
            Ok(None) => false,
            Ok(Some(segment)) => {
                assert_eq!(apply_segment(&self.base(), &segment.bytes).unwrap(), segment.span);
                assert_eq!(segment.span.first, self.last + 1);
                self.last = segment.span.last;
                true
            }
            Err(SegmentError::Gone { .. }) => {
                self.rebase();
                true
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn act(&mut self, action: &Action) {
        match *action {
            Action::Put(kind, name, value) => self.put(kind, name, value),
            Action::Delete(kind, name) => self.delete(kind, name),
            Action::Advance(seconds) => self.clock.advance(Duration::from_secs(seconds)),
            Action::Compact => self.store.compact(self.clock.now()),
            Action::Ship(rows) => drop(self.ship(rows)),
            Action::Rebase => self.rebase(),
        }
    }
}

fn open(data: &Path, clock: &ManualClock, is_sealed: bool) -> Arc<Store> {
    let log = SqliteLog::open_with(data, "", options(is_sealed)).unwrap();
    let limits = Options {
        retention: Duration::from_mins(1),
        min_retention: Duration::from_secs(30),
        ..Options::default()
    };
    let entropy = Arc::new(SeededEntropy::new(3));
    Store::open(Box::new(log), Arc::new(clock.clone()), entropy, limits).unwrap().0
}

/// Every current object of a sound file, with its body as it is stored.
fn content(file: &Path) -> Vec<String> {
    let connection = schema::open_reader(file).unwrap();
    schema::check_structure(&connection, "integrity_check").unwrap();
    let mut found = Vec::new();
    let damaged = load::read_current(&connection, Bodies::AsStored, &mut |record| {
        found.push(format!("{record:?}"));
        Ok(())
    });
    assert_eq!(damaged.unwrap(), []);
    found.sort();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_base_with_its_segments_is_the_store(
        actions in prop::collection::vec(action(), 1..120),
        is_sealed in any::<bool>(),
        rows in 1..50usize,
    ) {
        let mut case = Case::new(is_sealed);
        for action in &actions {
            case.act(action);
        }
        while case.ship(rows) {}
        let whole = case.directory.path().join("whole.db");
        snapshot(&case.data(), &whole).unwrap();
        prop_assert_eq!(content(&case.base()), content(&whole));
        prop_assert_eq!(position(&case.base()).unwrap(), position(&whole).unwrap());
    }
}

/// A base, and three segments that continue it.
fn shipped(is_sealed: bool) -> (Case, Vec<Segment>) {
    let mut case = Case::new(is_sealed);
    case.put(0, 0, 1);
    case.rebase();
    let mut segments = Vec::new();
    let last = case.last;
    for value in 2..5 {
        case.put(1, 0, value);
        case.put(2, usize::from(value), value);
        let segment = case.next(100).unwrap().unwrap();
        case.last = segment.span.last;
        segments.push(segment);
    }
    case.last = last;
    (case, segments)
}

#[test]
fn no_byte_of_a_segment_can_change_unnoticed() {
    let (case, segments) = shipped(true);
    let before = content(&case.base());
    let sound = &segments[0].bytes;
    for at in 0..sound.len() {
        let mut bytes = sound.to_vec();
        bytes[at] ^= 1 << (at % 8);
        let refused = apply_segment(&case.base(), &bytes);
        assert!(matches!(refused, Err(SegmentError::Damaged)), "{at}: {refused:?}");
    }
    for length in [0, 5, sound.len() / 2, sound.len() - 1] {
        assert!(apply_segment(&case.base(), &sound[..length]).is_err(), "{length}");
    }
    assert_eq!(content(&case.base()), before);
    apply_segment(&case.base(), sound).unwrap();
}

#[test]
fn segments_go_on_once_and_in_order() {
    let (case, segments) = shipped(false);
    let told =
        |segment: &Segment| apply_segment(&case.base(), &segment.bytes).unwrap_err().to_string();
    assert_eq!(told(&segments[1]), "it begins at revision 4, but the state before it ends at 1");
    apply_segment(&case.base(), &segments[0].bytes).unwrap();
    assert_eq!(told(&segments[0]), "it begins at revision 2, but the state before it ends at 3");
    assert!(told(&segments[2]).contains("begins at revision 6"));
    apply_segment(&case.base(), &segments[1].bytes).unwrap();
    apply_segment(&case.base(), &segments[2].bytes).unwrap();
}

#[test]
fn a_segment_of_another_store_is_refused() {
    let (case, segments) = shipped(false);
    let renewed = case.directory.path().join("renewed");
    let clock = ManualClock::new(Time::from_seconds(1_700_000_000));
    restore(&case.base(), &renewed, &clock, &SeededEntropy::new(8)).unwrap();
    let refused = apply_segment(&renewed.join(DATABASE), &segments[0].bytes);
    assert!(matches!(refused, Err(SegmentError::Foreign { .. })), "{refused:?}");
}

#[test]
fn what_compaction_took_is_told() {
    let mut case = Case::new(false);
    for value in 0..10 {
        case.put(0, 0, value);
    }
    case.last = 2;
    case.clock.advance(Duration::from_mins(10));
    case.store.compact(case.clock.now());
    let mut left = 2_000;
    while !matches!(case.next(5), Err(SegmentError::Gone { after: 2, compacted: 10 })) {
        left -= 1;
        assert!(left > 0, "{:?}", case.next(5));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_restored_replica_opens_with_its_keys_and_not_without() {
    let (case, segments) = shipped(false);
    for segment in &segments {
        apply_segment(&case.base(), &segment.bytes).unwrap();
    }
    // The store gets its first key after the base was taken.
    case.store.close();
    let store = open(&case.data(), &case.clock, true);
    let key = Key::new(&kind(1), "ns", "sealed");
    let put = Op::Put { key, object: json!({"value": 9}), expect: Expect::Any };
    block_on(store.commit(vec![put])).unwrap();
    let last = segments[2].span.last;
    let segment = read_segment(&case.data(), last, SegmentLimit::default()).unwrap().unwrap();
    apply_segment(&case.base(), &segment.bytes).unwrap();
    let target = case.directory.path().join("target");
    restore(&case.base(), &target, &case.clock, &SeededEntropy::new(8)).unwrap();
    let refused = SqliteLog::open_with(&target, "", options(false)).map(drop);
    assert!(matches!(refused, Err(OpenError::MissingKey { .. })), "{refused:?}");
    let opened = open(&target, &case.clock, true);
    assert_eq!((opened.count(&kind(1)), opened.health().quarantined), (2, 0));
    assert!(!fs::exists(target.join("store.db.replaced")).unwrap());
}
