use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use core_clock::{ManualClock, SeededEntropy, Time};
use emb_meta::GroupResource;
use futures::executor::block_on;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::{
    Expect, Op, OpenReport, Options, Range, SqliteLog, Store, log::sqlite::schema::PAGE_SIZE,
};

/// The states of every object in their order; `None` for a delete.
type History = BTreeMap<Key, BTreeMap<u64, Option<String>>>;

fn kinds() -> [GroupResource; 2] {
    [GroupResource::new("test", "things"), GroupResource::new("", "secrets")]
}

fn clock() -> ManualClock {
    ManualClock::new(Time::from_seconds(1_700_000_000))
}

fn open(directory: &Path) -> Result<(Arc<Store>, OpenReport), OpenError> {
    let log = Box::new(SqliteLog::open(directory, "")?);
    Store::open(log, Arc::new(clock()), Arc::new(SeededEntropy::new(3)), Options::default())
}

fn repair_it(directory: &Path) -> Result<Repaired, OpenError> {
    repair(directory, &clock(), &SeededEntropy::new(4))
}

/// A store with a past: updates, deletes, bodies of many pages, unused pages.
fn fill(store: &Store, entropy: &SeededEntropy) -> History {
    let mut history = History::new();
    for n in 0..400 {
        let [things, secrets] = kinds();
        let kind = if entropy.below(3) == 0 { secrets } else { things };
        let key =
            Key::new(&kind, format!("ns{}", entropy.below(3)), format!("o{}", entropy.below(20)));
        let delete = n > 100 && entropy.below(6) == 0;
        let op = if delete && store.get(&key).is_some() {
            Op::Delete { key: key.clone(), expect: Expect::Any }
        } else {
            let length = if entropy.below(20) == 0 { 40_000 } else { entropy.below(900) };
            let data = "x".repeat(usize::try_from(length).unwrap());
            Op::Put { key: key.clone(), object: json!({"n": n, "data": data}), expect: Expect::Any }
        };
        let events = block_on(store.commit(vec![op])).unwrap();
        let state = store.get(&key).map(|entry| text(&entry));
        history.entry(key).or_default().insert(events[0].revision, state);
    }
    history
}

fn text(entry: &crate::Entry) -> String {
    String::from_utf8(entry.body.to_vec()).unwrap()
}

fn objects(store: &Store) -> BTreeMap<Key, String> {
    let listings = kinds().map(|kind| store.list(&kind, Range::default()).entries);
    listings.iter().flatten().map(|entry| (entry.key.clone(), text(entry))).collect()
}

fn last(history: &History) -> BTreeMap<Key, String> {
    let last = |states: &BTreeMap<u64, Option<String>>| states.last_key_value()?.1.clone();
    history.iter().filter_map(|(key, states)| Some((key.clone(), last(states)?))).collect()
}

/// The files of a store that was closed, or of one whose process was killed.
fn files(killed: bool) -> (TempDir, History) {
    let (made, copied) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (store, _) = open(made.path()).unwrap();
    let history = fill(&store, &SeededEntropy::new(1));
    if !killed {
        store.close();
    }
    copy(made.path(), copied.path());
    (copied, history)
}

fn copy(from: &Path, to: &Path) {
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// Changes something in one of the files, as disks, people and other programs do.
fn damage(directory: &Path, entropy: &SeededEntropy) -> String {
    let names = ["store.db", "store.db", "store.db-wal"];
    let names: Vec<_> = names.iter().filter(|name| directory.join(name).exists()).collect();
    let name = names[usize::try_from(entropy.below(names.len() as u64)).unwrap()];
    let path = directory.join(name);
    let mut bytes = fs::read(&path).unwrap();
    let at = usize::try_from(entropy.below(bytes.len() as u64)).unwrap();
    let what = match entropy.below(8) {
        0 => {
            bytes.truncate(at);
            format!("{name} cut off at {at}")
        }
        1 => {
            let start = at / PAGE_SIZE * PAGE_SIZE;
            let end = bytes.len().min(start + PAGE_SIZE);
            bytes[start..end].fill(0);
            format!("{name} zeros at {start}")
        }
        2 if *name == "store.db-wal" => {
            fs::remove_file(&path).unwrap();
            return format!("{name} removed");
        }
        many => {
            // Headers of pages are where it hurts most.
            let at = if many == 3 { at / PAGE_SIZE * PAGE_SIZE + at % 12 } else { at };
            for step in 0..many {
                let at = (at + usize::try_from(step).unwrap() * 3) % bytes.len();
                bytes[at] ^= u8::try_from(entropy.below(255)).unwrap() + 1;
            }
            format!("{name} {many} bytes at {at}")
        }
    };
    fs::write(&path, bytes).unwrap();
    what
}

/// What is served is what was written; what is not served is told.
fn check_served(store: &Store, report: &OpenReport, history: &History, what: &str) {
    let (served, expected) = (objects(store), last(history));
    for (key, body) in &served {
        assert_eq!(expected.get(key), Some(body), "{what}: {key}");
    }
    let told: BTreeSet<_> = report.quarantined.iter().map(|row| &row.key).collect();
    for key in expected.keys().filter(|key| !served.contains_key(key)) {
        assert!(told.contains(key), "{what}: {key} is missing");
    }
    for at in [20, 150, 390] {
        for kind in kinds() {
            let Ok(listing) = store.list_at(&kind, Range::default(), at) else { continue };
            for entry in listing.entries {
                let states = &history[&entry.key];
                let then = states.range(..=at).last().and_then(|(_, state)| state.clone());
                assert_eq!(then, Some(text(&entry)), "{what}: {} at {at}", entry.key);
            }
        }
    }
}

/// What is there was written once; what is not as it was is told.
fn check_repaired(directory: &Path, repaired: &Repaired, history: &History, what: &str) {
    let (store, report) = open(directory).unwrap();
    assert!(report.quarantined.is_empty(), "{what}");
    let (found, expected) = (objects(&store), last(history));
    assert_eq!(found.len(), repaired.objects, "{what}");
    let newest_lost = repaired.losses.iter().any(|loss| matches!(loss, Loss::Newest { .. }));
    let told: BTreeSet<_> = repaired.losses.iter().filter_map(key_of_loss).collect();
    for (key, body) in &found {
        assert!(history[key].values().flatten().any(|state| state == body), "{what}: {key}");
        let same = expected.get(key) == Some(body);
        assert!(same || newest_lost || told.contains(key), "{what}: {key} changed");
    }
    let kind_lost = repaired.losses.iter().any(|loss| loss.to_string().contains("kind "));
    for key in expected.keys().filter(|key| !found.contains_key(key)) {
        assert!(newest_lost || kind_lost || told.contains(key), "{what}: {key} is missing");
    }
    let key = Key::new(&kinds()[0], "ns", "new");
    let put = Op::Put { key, object: json!({}), expect: Expect::Any };
    let event = block_on(store.commit(vec![put])).unwrap().remove(0);
    assert!(event.revision > 1_000_000_000, "{what}");
}

fn key_of_loss(loss: &Loss) -> Option<&Key> {
    match loss {
        Loss::Lost { key, .. } | Loss::Older { key, .. } | Loss::Unlisted { key, .. } => Some(key),
        Loss::Newest { .. } => None,
    }
}

#[test]
fn a_sound_store_is_repaired_without_a_loss() {
    for killed in [false, true] {
        let (directory, history) = files(killed);
        let repaired = repair_it(directory.path()).unwrap();
        assert_eq!(repaired.losses, []);
        assert!(repaired.damaged.exists());
        let (store, report) = open(directory.path()).unwrap();
        assert_eq!((objects(&store), report.objects), (last(&history), repaired.objects));
        assert_eq!(store.identity().epoch, 2);
    }
}

#[test]
fn the_first_page_can_be_lost() {
    let (directory, history) = files(false);
    let file = directory.path().join(DATABASE);
    let mut bytes = fs::read(&file).unwrap();
    bytes[..PAGE_SIZE].fill(0xff);
    fs::write(&file, bytes).unwrap();
    assert!(matches!(open(directory.path()), Err(OpenError::Damaged(_))));
    let repaired = repair_it(directory.path()).unwrap();
    assert_eq!(repaired.losses, []);
    assert_eq!(objects(&open(directory.path()).unwrap().0), last(&history));
}

#[test]
fn what_is_no_store_at_all_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(DATABASE);
    fs::write(&file, vec![b'x'; 3 * PAGE_SIZE]).unwrap();
    assert!(matches!(repair_it(directory.path()), Err(OpenError::Damaged(_))));
    assert_eq!(fs::read(&file).unwrap().len(), 3 * PAGE_SIZE);
    let missing = repair_it(&directory.path().join("nowhere"));
    assert!(matches!(missing, Err(OpenError::Io(_))));
}

#[test]
fn damage_is_set_aside_or_refused_and_never_served() {
    let sound = [files(false), files(true)];
    let (mut opened, mut refused) = (0, 0);
    for seed in 0..200 {
        let (files, history) = &sound[seed % 2];
        let directory = tempfile::tempdir().unwrap();
        copy(files.path(), directory.path());
        let what = damage(directory.path(), &SeededEntropy::new(seed as u64));
        let what = format!("seed {seed}: {what}");
        match open(directory.path()) {
            Ok((store, report)) => {
                check_served(&store, &report, history, &what);
                opened += 1;
            }
            Err(OpenError::Io(error)) => panic!("{what}: no way out of {error}"),
            Err(_) => {
                refused += 1;
                if let Ok(repaired) = repair_it(directory.path()) {
                    check_repaired(directory.path(), &repaired, history, &what);
                }
            }
        }
    }
    assert!(opened > 20 && refused > 20, "{opened} opened, {refused} refused");
}
