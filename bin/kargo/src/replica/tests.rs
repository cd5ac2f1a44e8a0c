use std::{path::Path, sync::Arc, time::Duration};

use core_clock::{Clock, Entropy, ManualClock, SeededEntropy, Time};
use emb_meta::GroupResource;
use emb_store::{Expect, Key, Op, Options, Span, SqliteLog, Store, position};
use io_runtime::{SystemClock, TaskGroup};
use serde_json::json;

use super::{
    fetch::{self, fetch},
    interval,
    layout::{Generation, generations},
    progress::Progress,
    ship::{Shipper, Stand, Step},
};

const HOUR: Duration = Duration::from_hours(1);

/// A store with its replica beside it.
struct Case {
    directory: tempfile::TempDir,
    clock: ManualClock,
    store: Arc<Store>,
}

impl Case {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = ManualClock::new(Time::from_seconds(1_700_000_000));
        let log = SqliteLog::open(&directory.path().join("data"), "").unwrap();
        let (shared, entropy) = (Arc::new(clock.clone()), Arc::new(SeededEntropy::new(3)));
        let options =
            Options { retention: HOUR / 2, min_retention: HOUR / 4, ..Options::default() };
        let (store, _) = Store::open(Box::new(log), shared, entropy, options).unwrap();
        Self { directory, clock, store }
    }

    fn url(&self) -> String {
        format!("file://{}", self.directory.path().join("replica").display())
    }

    fn shipper(&self) -> Shipper {
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        Shipper {
            store: self.store.clone(),
            directory: self.directory.path().join("data"),
            is_new: false,
            objects: Arc::new(fetch::open(&self.url().parse().unwrap()).unwrap()),
            clock: clock.clone(),
            tasks: Arc::new(TaskGroup::new()),
            progress: Progress::new(clock),
            interval: HOUR,
            stand: Stand::default(),
        }
    }

    async fn write(&self, value: u64) {
        let key = Key::new(&GroupResource::new("", "things"), "ns", "one");
        let put = Op::Put { key, object: json!({"value": value}), expect: Expect::Any };
        self.store.commit(vec![put]).await.unwrap();
    }

    /// Writes a large object that does not get smaller.
    async fn write_noise(&self, seed: u64) {
        let entropy = SeededEntropy::new(seed);
        let noise: Vec<String> = (0..20_000).map(|_| entropy.uuid()).collect();
        let key = Key::new(&GroupResource::new("", "things"), "ns", format!("noise-{seed}"));
        let put = Op::Put { key, object: json!({"noise": noise.concat()}), expect: Expect::Any };
        self.store.commit(vec![put]).await.unwrap();
    }

    async fn generations(&self, shipper: &Shipper) -> Vec<Generation> {
        generations(&shipper.objects.list().await.unwrap())
    }

    /// What comes back is what is there.
    async fn check(&self) {
        let target = self.directory.path().join("target");
        let fetched = fetch(&self.url().parse().unwrap(), &target).await.unwrap();
        let at = position(&fetched.file).unwrap();
        assert_eq!((at.revision, &at.identity), (self.store.revision(), self.store.identity()));
        assert_eq!(fetched.revision, at.revision);
    }
}

async fn pause(millis: u64) {
    SystemClock::new().sleep(Duration::from_millis(millis)).await;
}

async fn ship_all(shipper: &mut Shipper) {
    while !matches!(shipper.step().await.unwrap(), Step::UpToDate(_)) {}
}

/// The generation that is being written.
fn current(shipper: &Shipper) -> String {
    match &shipper.stand {
        Stand::In(current) => current.name.to_string(),
        _ => panic!("there is none"),
    }
}

/// The names of files in the data directory that are the replica's.
fn leftovers(data: &Path) -> Vec<String> {
    let files = std::fs::read_dir(data).unwrap();
    let names = files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("replica")).collect()
}

#[tokio::test]
async fn generations_begin_when_they_are_due_and_the_last_two_are_kept() {
    let case = Case::new();
    let mut shipper = case.shipper();
    case.write(0).await;
    ship_all(&mut shipper).await;
    for value in 1..4 {
        let name = current(&shipper);
        case.clock.advance(HOUR);
        ship_all(&mut shipper).await;
        assert_eq!(current(&shipper), name, "nothing has changed: nothing is begun");
        case.write(value).await;
        let mut left = 500;
        while current(&shipper) == name {
            // What is new is shipped at once, wherever the snapshot is.
            ship_all(&mut shipper).await;
            case.check().await;
            left -= 1;
            assert!(left > 0, "{name} goes on");
            pause(10).await;
        }
        ship_all(&mut shipper).await;
    }
    let mut left = 500;
    while case.generations(&shipper).await.len() > 2 {
        left -= 1;
        assert!(left > 0, "{:?}", case.generations(&shipper).await);
        pause(10).await;
    }
    let kept = case.generations(&shipper).await;
    assert_eq!((kept[1].last(), kept[1].name.to_string()), (4, current(&shipper)));
    case.check().await;
    assert_eq!(leftovers(&case.directory.path().join("data")), Vec::<String>::new());
}

#[tokio::test]
async fn changes_go_on_into_the_generation_before_while_a_snapshot_is_under_way() {
    let case = Case::new();
    let mut shipper = case.shipper();
    for number in 0..4 {
        case.write_noise(number).await;
    }
    ship_all(&mut shipper).await;
    let name = current(&shipper);
    case.clock.advance(HOUR);
    let mut writes = 0;
    while current(&shipper) == name {
        case.write(writes).await;
        ship_all(&mut shipper).await;
        case.check().await;
        writes += 1;
        assert!(writes < 2_000, "{name} goes on");
    }
    case.check().await;
    let found = case.generations(&shipper).await;
    assert_eq!((found.len(), found[0].segments.is_empty()), (2, false), "{found:?}");
}

#[tokio::test]
async fn the_next_process_goes_on_where_the_last_one_stopped() {
    let case = Case::new();
    case.write(1).await;
    ship_all(&mut case.shipper()).await;
    case.write(2).await;
    let mut next = case.shipper();
    ship_all(&mut next).await;
    let found = case.generations(&next).await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].segments, [Span { first: 2, last: 2 }]);
    case.check().await;
}

#[tokio::test]
async fn a_replica_that_the_store_does_not_continue_is_begun_anew() {
    let case = Case::new();
    case.write(1).await;
    let mut shipper = case.shipper();
    ship_all(&mut shipper).await;
    // The data directory was replaced by an older copy of it.
    let ahead = case.generations(&shipper).await[0].name.segment_key(Span { first: 2, last: 9 });
    shipper.objects.put(&ahead, "from another past".into()).await.unwrap();
    let mut next = case.shipper();
    ship_all(&mut next).await;
    assert_eq!(case.generations(&next).await.len(), 2);
    case.check().await;
}

#[tokio::test]
async fn history_that_is_gone_needs_a_new_snapshot() {
    let case = Case::new();
    let mut shipper = case.shipper();
    ship_all(&mut shipper).await;
    for value in 0..5 {
        case.write(value).await;
    }
    case.clock.advance(HOUR * 3 / 4);
    case.store.compact(case.clock.now());
    // Compaction goes on after the call.
    pause(500).await;
    ship_all(&mut shipper).await;
    let found = case.generations(&shipper).await;
    assert_eq!(found.last().unwrap().base.revision, 5, "{found:?}");
    case.check().await;
}

#[tokio::test]
async fn a_new_store_does_not_take_the_place_of_another() {
    let (old, new) = (Case::new(), Case::new());
    let mut shipper = old.shipper();
    ship_all(&mut shipper).await;
    let mut refused = Shipper { is_new: true, objects: shipper.objects.clone(), ..new.shipper() };
    // Both stores are made of the same seed.
    assert!(refused.survey().await.is_ok());
    let log = SqliteLog::open(&new.directory.path().join("other"), "").unwrap();
    let entropy = Arc::new(SeededEntropy::new(4));
    let clock = Arc::new(new.clock.clone());
    refused.store = Store::open(Box::new(log), clock, entropy, Options::default()).unwrap().0;
    let told = refused.survey().await.unwrap_err().to_string();
    assert!(told.ends_with("and this data directory is new"), "{told}");
}

#[test]
fn a_generation_lives_a_minute_at_least() {
    assert_eq!(interval("1h30m"), Ok(Duration::from_mins(90)));
    assert_eq!(interval("1m"), Ok(Duration::from_mins(1)));
    for wrong in ["59s", "0", "-1h", "a day", ""] {
        assert!(interval(wrong).is_err(), "{wrong}");
    }
}
