//! The API under crashes: writers against a model that knows only what was answered, and a reader that must end up with
//! what is stored.

use std::{
    collections::{BTreeMap, BTreeSet},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use dev_sim::{Fault, ProcessCx, Rates, Scenario, View};
use futures::TryStreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::support::{hold, hold_in_replay};

const KEYS: usize = 3;

#[test]
fn the_api_keeps_what_it_acknowledged() {
    hold("the_api_keeps_what_it_acknowledged", scenario);
}

#[test]
fn one_seed_gives_one_audit_log_of_the_api() {
    hold_in_replay("api", scenario);
}

/// What the reader has seen: versions and values by name.
type Seen = Arc<Mutex<BTreeMap<String, (String, String)>>>;

fn scenario() -> Scenario {
    let seen = Seen::default();
    let (reader, last) = (seen.clone(), Mutex::new(0));
    Scenario::new()
        // Within one watch no server sends an event twice; the reader relies on it.
        .faults(Rates::all().without(Fault::WatchRepeated))
        .actor("first", write)
        .actor("second", write)
        .component("reader", 1, move |cx| read(cx, reader.clone()))
        .always("revisions grow and are given once", move |view| grows(&mut last.lock(), view))
        .finally("the reader has what is stored", move |view| agrees(&seen.lock(), view))
}

/// The states that an object may be in, as far as its only writer can know: absent, or with a value.
struct Model(BTreeSet<Option<String>>);

/// What an answer says.
#[derive(Debug)]
enum Answer {
    /// It is there, with this value.
    Is(String),
    /// It is not there.
    Absent,
    /// It was there already.
    Present,
    /// Nothing for certain.
    Unknown,
}

impl Model {
    /// Takes in the answer to a request that would bring the object from one of `from` to `to`.
    fn learn(
        &mut self,
        answer: &Answer,
        applies: impl Fn(&Option<String>) -> bool,
        to: Option<String>,
    ) {
        let before = self.0.clone();
        match answer {
            Answer::Is(value) => self.0 = [Some(value.clone())].into(),
            Answer::Absent => self.0 = [None].into(),
            Answer::Present => self.0.retain(Option::is_some),
            Answer::Unknown => {
                if before.iter().any(applies) {
                    self.0.insert(to);
                }
                return;
            }
        }
        assert!(!self.0.is_empty(), "answered {answer:?} although it must be one of {before:?}");
    }

    /// Takes in what a read found.
    fn confirm(&mut self, answer: &Answer) {
        let found = match answer {
            Answer::Is(value) => Some(value.clone()),
            Answer::Absent => None,
            Answer::Present | Answer::Unknown => return,
        };
        assert!(self.0.contains(&found), "found {found:?}, but it must be one of {:?}", self.0);
        self.0 = [found].into();
    }

    fn may_be_present(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }
}

/// Writes to objects of its own, at random, and checks every answer.
async fn write(cx: ProcessCx) {
    let maps: Api<ConfigMap> = Api::default_namespaced(cx.client());
    let mut models: Vec<Model> = (0..KEYS).map(|_| Model([None].into())).collect();
    for turn in 0..40 {
        let at = cx.dice().index(KEYS);
        let Some(model) = models.get_mut(at) else { continue };
        let (name, value) = (format!("{}-{at}", cx.name()), turn.to_string());
        match cx.dice().below(5) {
            0 => create(&maps, &name, value, model).await,
            1 => patch(&maps, &name, value, model).await,
            2 => replace_stale(&maps, &name, value, model).await,
            3 => delete(&maps, &name, model).await,
            _ => model.confirm(&answer(maps.get(&name).await)),
        }
        cx.pause(Duration::from_secs(5)).await;
    }
}

async fn create(maps: &Api<ConfigMap>, name: &str, value: String, model: &mut Model) {
    let could_be_absent = model.0.contains(&None);
    let outcome = answer(maps.create(&PostParams::default(), &config_map(name, &value)).await);
    assert!(could_be_absent || !matches!(outcome, Answer::Is(_)), "created {name} twice");
    model.learn(&outcome, Option::is_none, Some(value));
}

async fn patch(maps: &Api<ConfigMap>, name: &str, value: String, model: &mut Model) {
    let change = Patch::Merge(json!({"data": {"value": value}}));
    let outcome = answer(maps.patch(name, &PatchParams::default(), &change).await);
    assert!(model.may_be_present() || !matches!(outcome, Answer::Is(_)), "patched nothing");
    assert!(model.0.contains(&None) || !matches!(outcome, Answer::Absent), "lost {name}");
    model.learn(&outcome, Option::is_some, Some(value));
}

/// Replaces from a version that an own write made old: must never work.
async fn replace_stale(maps: &Api<ConfigMap>, name: &str, value: String, model: &mut Model) {
    let Ok(old) = maps.get(name).await else { return };
    patch(maps, name, value, model).await;
    let Ok(new) = maps.get(name).await else { return };
    if new.metadata.resource_version == old.metadata.resource_version {
        return;
    }
    let mut stale = config_map(name, "stale");
    stale.metadata.resource_version = old.metadata.resource_version;
    let outcome = maps.replace(name, &PostParams::default(), &stale).await;
    assert!(outcome.is_err(), "a write with an old version replaced {name}");
}

async fn delete(maps: &Api<ConfigMap>, name: &str, model: &mut Model) {
    let outcome = match maps.delete(name, &DeleteParams::default()).await {
        Ok(_) => {
            assert!(model.may_be_present(), "deleted nothing");
            Answer::Absent
        }
        Err(error) => from_error(&error),
    };
    model.learn(&outcome, Option::is_some, None);
}

fn answer(outcome: kube::Result<ConfigMap>) -> Answer {
    match outcome {
        Ok(map) => {
            Answer::Is(map.data.and_then(|mut data| data.remove("value")).unwrap_or_default())
        }
        Err(error) => from_error(&error),
    }
}

fn from_error(error: &kube::Error) -> Answer {
    match error {
        kube::Error::Api(status) if status.reason == "NotFound" => Answer::Absent,
        kube::Error::Api(status) if status.reason == "AlreadyExists" => Answer::Present,
        _ => Answer::Unknown,
    }
}

/// Keeps a copy of all ConfigMaps by list and watch, and goes on where a watch broke off.
async fn read(cx: ProcessCx, seen: Seen) {
    let maps: Api<ConfigMap> = Api::default_namespaced(cx.client());
    let mut version: Option<String> = None;
    loop {
        if version.is_none() {
            version = start_over(&maps, &seen).await;
        }
        if let Some(from) = version.take() {
            version = follow(&maps, &seen, from).await;
        }
        cx.pause(Duration::from_secs(2)).await;
    }
}

/// Replaces the copy; the version to watch from, unless the list failed.
async fn start_over(maps: &Api<ConfigMap>, seen: &Seen) -> Option<String> {
    let list = maps.list(&ListParams::default()).await.ok()?;
    *seen.lock() = list.items.into_iter().map(row).collect();
    list.metadata.resource_version
}

/// Takes in changes until the watch ends; where to go on from, unless that is too long ago.
async fn follow(maps: &Api<ConfigMap>, seen: &Seen, mut version: String) -> Option<String> {
    let Ok(events) = maps.watch(&WatchParams::default(), &version).await else {
        return Some(version);
    };
    let mut events = pin!(events);
    while let Ok(Some(event)) = events.try_next().await {
        let (map, gone) = match event {
            WatchEvent::Added(map) | WatchEvent::Modified(map) => (map, false),
            WatchEvent::Deleted(map) => (map, true),
            WatchEvent::Bookmark(mark) => {
                version = mark.metadata.resource_version;
                continue;
            }
            WatchEvent::Error(_) => return None,
        };
        let (name, row) = row(map);
        let newer = row.0.parse::<u64>().unwrap() > version.parse::<u64>().unwrap();
        assert!(newer, "an event of {} after version {version}", row.0);
        version.clone_from(&row.0);
        if gone {
            seen.lock().remove(&name);
        } else {
            seen.lock().insert(name, row);
        }
    }
    Some(version)
}

fn row(map: ConfigMap) -> (String, (String, String)) {
    let value = map.data.and_then(|mut data| data.remove("value")).unwrap_or_default();
    let version = map.metadata.resource_version.unwrap_or_default();
    (map.metadata.name.unwrap_or_default(), (version, value))
}

fn grows(last: &mut u64, view: &View<'_>) -> Result<(), String> {
    for change in view.changes() {
        if change.revision <= *last {
            return Err(format!("revision {} after {last}", change.revision));
        }
        *last = change.revision;
    }
    if view.revision() < *last {
        return Err(format!("the store is at {} after {last}", view.revision()));
    }
    Ok(())
}

fn agrees(seen: &BTreeMap<String, (String, String)>, view: &View<'_>) -> Result<(), String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let stored = view
        .list("", "configmaps")
        .into_iter()
        .filter(|map| map["metadata"]["namespace"] == "default");
    let stored: BTreeMap<_, _> = stored
        .map(|map| {
            let version = text(&map["metadata"]["resourceVersion"]);
            (text(&map["metadata"]["name"]), (version, text(&map["data"]["value"])))
        })
        .collect();
    if *seen == stored { Ok(()) } else { Err(format!("it has {seen:?}, stored is {stored:?}")) }
}

fn config_map(name: &str, value: &str) -> ConfigMap {
    let map = json!({"metadata": {"name": name}, "data": {"value": value}});
    serde_json::from_value(map).unwrap()
}
