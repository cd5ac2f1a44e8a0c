//! Random operations on a store and on a model that keeps every past state whole; both must always agree.

use std::{collections::BTreeMap, path::Path, slice, sync::Arc, time::Duration};

use core_clock::{Clock, ManualClock, SeededEntropy, Time};
use emb_meta::GroupResource;
use emb_store::{
    Change, CommitLog, Entry, Event, Expect, Key, MemoryLog, Op, Options, Range, SqliteLog, Store,
};
use futures::{FutureExt, executor::block_on};
use proptest::prelude::*;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
enum Action {
    Commit(Vec<Write>),
    Reopen,
    Compact,
    Advance(u64),
}

#[derive(Clone, Debug)]
struct Write {
    kind: usize,
    namespace: usize,
    name: usize,
    /// `None` deletes.
    value: Option<u8>,
    only_new: bool,
}

fn write() -> impl Strategy<Value = Write> {
    let value = prop_oneof![3 => any::<u8>().prop_map(Some), 1 => Just(None)];
    (0..2usize, 0..3usize, 0..4usize, value, prop::bool::weighted(0.1)).prop_map(
        |(kind, namespace, name, value, only_new)| Write { kind, namespace, name, value, only_new },
    )
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        12 => prop::collection::vec(write(), 1..4).prop_map(Action::Commit),
        1 => Just(Action::Reopen),
        1 => Just(Action::Compact),
        2 => (1..120u64).prop_map(Action::Advance),
    ]
}

type Name = (String, String);
/// Per object its revision and value.
type State = BTreeMap<Name, (u64, Value)>;

/// Every state that ever was, whole.
#[derive(Default)]
struct Model {
    states: Vec<[State; 2]>,
    changes: Vec<(usize, Change, Name)>,
}

impl Model {
    fn now(&self) -> [State; 2] {
        self.states.last().cloned().unwrap_or_default()
    }

    /// Applies all writes or none.
    fn commit(&mut self, writes: &[Write]) -> bool {
        let mut state = self.now();
        let (mut states, mut changes) = (Vec::new(), Vec::new());
        for write in writes {
            let revision = (self.changes.len() + changes.len() + 1) as u64;
            let objects = &mut state[write.kind];
            let name = place(write);
            let there = objects.contains_key(&name);
            let deletes_nothing = write.value.is_none() && !there;
            if deletes_nothing || (write.only_new && (there || write.value.is_none())) {
                return false;
            }
            let change = match (write.value, there) {
                (None, _) => Change::Deleted,
                (Some(_), true) => Change::Updated,
                (Some(_), false) => Change::Created,
            };
            match write.value {
                None => drop(objects.remove(&name)),
                Some(value) => drop(objects.insert(name.clone(), (revision, json!(value)))),
            }
            changes.push((write.kind, change, name));
            states.push(state.clone());
        }
        self.states.extend(states);
        self.changes.extend(changes);
        true
    }

    fn at(&self, revision: u64) -> [State; 2] {
        let index = usize::try_from(revision).unwrap().checked_sub(1);
        index.map(|index| self.states[index].clone()).unwrap_or_default()
    }
}

fn place(write: &Write) -> Name {
    (["a", "a-b", "b"][write.namespace].to_owned(), format!("n{}", write.name))
}

fn kind(number: usize) -> GroupResource {
    GroupResource::new("test", ["things", "others"][number])
}

fn op(write: &Write) -> Op {
    let (namespace, name) = place(write);
    let key = Key::new(&kind(write.kind), namespace, name);
    let expect = if write.only_new { Expect::Absent } else { Expect::Any };
    match write.value {
        Some(value) => {
            let metadata = json!({"labels": {"value": value.to_string()}, "resourceVersion": "9"});
            Op::Put { key, object: json!({"value": value, "metadata": metadata}), expect }
        }
        None => Op::Delete { key, expect },
    }
}

fn state(entries: &[Arc<Entry>]) -> State {
    let pair = |entry: &Arc<Entry>| {
        let value = entry.value();
        assert_eq!(value["metadata"]["resourceVersion"], entry.revision.to_string());
        let name = (entry.key.namespace.to_string(), entry.key.name.to_string());
        (name, (entry.revision, value["value"].clone()))
    };
    entries.iter().map(pair).collect()
}

struct Run<'a> {
    clock: ManualClock,
    options: Options,
    log: &'a dyn Fn() -> Box<dyn CommitLog>,
    store: Arc<Store>,
    model: Model,
}

impl Run<'_> {
    fn perform(&mut self, action: &Action) {
        match action {
            Action::Commit(writes) => {
                let result = block_on(self.store.commit(writes.iter().map(op).collect()));
                assert_eq!(result.is_ok(), self.model.commit(writes), "{writes:?}");
                assert_eq!(self.store.revision(), self.model.changes.len() as u64);
            }
            Action::Reopen => {
                self.store.close();
                self.store = open((self.log)(), &self.clock, &self.options);
            }
            Action::Compact => self.store.compact(self.clock.now()),
            Action::Advance(seconds) => self.clock.advance(Duration::from_secs(*seconds)),
        }
    }

    fn check(&self) {
        let last = self.model.changes.len() as u64;
        assert_eq!(self.store.revision(), last);
        for number in 0..2 {
            let listing = self.store.list(&kind(number), Range::default());
            assert_eq!(state(&listing.entries), self.model.now()[number]);
            assert_eq!(self.store.count(&kind(number)), self.model.now()[number].len());
            for revision in 0..=last {
                self.check_past(number, revision);
            }
            self.check_pages(number, self.store.compacted());
            self.check_pages(number, last);
        }
    }

    /// Pages put together are the whole list, in the byte order of `namespace/name`.
    fn check_pages(&self, number: usize, revision: u64) {
        let mut expected: Vec<String> = self.model.at(revision)[number]
            .keys()
            .map(|(ns, name)| format!("{ns}/{name}"))
            .collect();
        expected.sort();
        let mut paged: Vec<String> = Vec::new();
        loop {
            let last = paged.last().cloned();
            let after = last.as_deref().and_then(|path| path.split_once('/'));
            let range = Range { after, limit: Some(2), ..Range::default() };
            let page = self.store.list_at(&kind(number), range, revision).unwrap();
            let path = |entry: &Arc<Entry>| format!("{}/{}", entry.key.namespace, entry.key.name);
            paged.extend(page.entries.iter().map(path));
            assert_eq!(page.remaining, expected.len() - paged.len());
            if page.remaining == 0 {
                break;
            }
        }
        assert_eq!(paged, expected);
    }

    fn check_past(&self, number: usize, revision: u64) {
        let listing = self.store.list_at(&kind(number), Range::default(), revision);
        let watcher = self.store.watch(&kind(number), revision);
        if revision < self.store.compacted() {
            assert!(listing.is_err() && watcher.is_err());
            return;
        }
        assert_eq!(state(&listing.unwrap().entries), self.model.at(revision)[number]);
        let mut watcher = watcher.unwrap();
        let mut events = Vec::new();
        while let Some(batch) = watcher.next().now_or_never() {
            events.extend(batch.unwrap());
        }
        assert_eq!(watcher.revision(), self.store.revision());
        self.check_events(number, revision, &events);
    }

    fn check_events(&self, number: usize, after: u64, events: &[Arc<Event>]) {
        let later = (1..).zip(&self.model.changes).filter(|(at, _)| *at > after);
        let expected: Vec<_> = later.filter(|(_, change)| change.0 == number).collect();
        assert_eq!(events.len(), expected.len());
        for (event, (revision, (_, change, name))) in events.iter().zip(expected) {
            assert_eq!((event.revision, event.change), (revision, *change));
            let before = self.model.at(revision - 1)[number].get(name).cloned();
            let previous = event.previous.as_ref().map(|entry| state(slice::from_ref(entry)));
            assert_eq!(previous.and_then(|state| state.get(name).cloned()), before);
            let after = state(slice::from_ref(&event.entry));
            assert_eq!(after[name].0, revision);
        }
    }
}

fn open(log: Box<dyn CommitLog>, clock: &ManualClock, options: &Options) -> Arc<Store> {
    let entropy = Arc::new(SeededEntropy::new(1));
    Store::open(log, Arc::new(clock.clone()), entropy, options.clone()).unwrap().0
}

fn run(log: &dyn Fn() -> Box<dyn CommitLog>, ring_entries: usize, actions: &[Action]) {
    let clock = ManualClock::new(Time::from_seconds(1_000_000));
    let options = Options {
        ring_entries,
        ring_age: Duration::from_secs(30),
        retention: Duration::from_secs(90),
        ..Options::default()
    };
    let store = open(log(), &clock, &options);
    let mut run = Run { clock, options, log, store, model: Model::default() };
    for action in actions {
        run.perform(action);
    }
    run.check();
    run.perform(&Action::Reopen);
    run.check();
}

fn sqlite(directory: &Path) -> Box<dyn CommitLog> {
    Box::new(SqliteLog::open(directory, "").unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_in_memory_agrees_with_the_model(
        ring_entries in 0..20usize,
        actions in prop::collection::vec(action(), 1..40),
    ) {
        let memory = MemoryLog::default();
        run(&|| Box::new(memory.clone()), ring_entries, &actions);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_store_on_disk_agrees_with_the_model(
        ring_entries in 0..20usize,
        actions in prop::collection::vec(action(), 1..30),
    ) {
        let directory = tempfile::tempdir().unwrap();
        run(&|| sqlite(directory.path()), ring_entries, &actions);
    }
}
