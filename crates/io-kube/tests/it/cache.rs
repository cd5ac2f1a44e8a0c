//! Caches follow the API server whatever happens to their watch.

use std::sync::Arc;

use io_kube::{Cache, CacheBuilder, Index, ObjectKey};
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

use crate::world::{World, key, value};

/// What hooks were told: name, old value, new value.
type Changes = Arc<Mutex<Vec<(String, Option<String>, Option<String>)>>>;

fn recording(world: &World) -> (CacheBuilder<ConfigMap>, Changes) {
    let changes = Changes::default();
    let told = changes.clone();
    let builder = Cache::builder(world.client.clone()).namespace("default").on_change(
        move |old: Option<&ConfigMap>, new: Option<&ConfigMap>| {
            let name = ObjectKey::of(old.or(new).unwrap()).name;
            told.lock().push((name, old.map(value), new.map(value)));
        },
    );
    (builder, changes)
}

fn change(
    name: &str,
    old: Option<&str>,
    new: Option<&str>,
) -> (String, Option<String>, Option<String>) {
    (name.to_owned(), old.map(str::to_owned), new.map(str::to_owned))
}

#[tokio::test]
async fn a_list_of_many_pages_arrives_whole_and_without_managed_fields() {
    let world = World::start().await;
    for number in 0..1_001 {
        world.create(&format!("m{number:04}"), "v").await;
    }
    let cache: Cache<ConfigMap> =
        Cache::builder(world.client.clone()).namespace("default").start(&world.ports);
    assert!(!cache.is_synced());
    cache.synced().await;
    assert_eq!(world.faults.lists(), 3);
    let names: Vec<_> = cache.list().iter().map(|map| ObjectKey::of(&**map).name).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with('m')).count(), 1_001);
    assert!(names.is_sorted());
    assert!(cache.list().iter().all(|map| map.metadata.managed_fields.is_none()));
    assert_eq!(cache.in_namespace("default").len(), names.len());
    assert!(cache.in_namespace("defaul").is_empty());
}

#[tokio::test]
async fn indexes_follow_creation_change_and_deletion() {
    let world = World::start().await;
    world.create("a", "x").await;
    let by_value: Index<ConfigMap, String> = Index::new(|map| vec![value(map)]);
    let cache = Cache::builder(world.client.clone())
        .namespace("default")
        .index(&by_value)
        .start(&world.ports);
    cache.synced().await;
    let names = |wanted: &str| -> Vec<String> {
        by_value.get(wanted).iter().map(|map| ObjectKey::of(&**map).name).collect()
    };
    assert_eq!(names("x"), ["a"]);
    cache.passed(&version(&world.create("b", "x").await)).await;
    assert_eq!(names("x"), ["a", "b"]);
    cache.passed(&version(&world.set("a", "y").await)).await;
    assert_eq!((names("x"), names("y")), (vec!["b".to_owned()], vec!["a".to_owned()]));
    world.delete("a").await;
    world.eventually("the deletion shows", || names("y").is_empty()).await;
    assert!(!by_value.values().contains(&"y".to_owned()));
}

#[tokio::test]
async fn a_dropped_watch_goes_on_where_it_stood_without_a_new_list() {
    let world = World::start().await;
    world.create("a", "1").await;
    let (builder, changes) = recording(&world);
    let cache = builder.start(&world.ports);
    cache.synced().await;
    world.settle().await;
    changes.lock().clear();

    world.faults.refuse_watches(Some(503));
    world.faults.cut_watches();
    world.settle().await;
    world.set("a", "2").await;
    world.create("b", "1").await;
    world.delete("a").await;
    world.settle().await;
    assert!(changes.lock().is_empty());
    world.faults.refuse_watches(None);
    world.eventually("the deletion arrives", || cache.get(&key("a")).is_none()).await;
    let expected = [
        change("a", Some("1"), Some("2")),
        change("b", None, Some("1")),
        change("a", Some("2"), None),
    ];
    assert_eq!(*changes.lock(), expected);
    assert_eq!(world.faults.lists(), 1);
}

#[tokio::test]
async fn lost_history_leads_to_a_new_list_that_tells_only_of_what_changed() {
    let world = World::start().await;
    for name in ["kept", "changed", "deleted", "replaced"] {
        world.create(name, "1").await;
    }
    let (builder, changes) = recording(&world);
    let cache = builder.start(&world.ports);
    cache.synced().await;
    world.settle().await;
    changes.lock().clear();

    world.faults.refuse_watches(Some(503));
    world.faults.cut_watches();
    world.settle().await;
    world.set("changed", "2").await;
    world.delete("deleted").await;
    world.delete("replaced").await;
    world.create("replaced", "3").await;
    world.faults.refuse_watches(Some(410));
    world.eventually("a second list", || world.faults.lists() == 2).await;
    world.eventually("the change arrives", || changes.lock().len() >= 4).await;
    let expected = [
        change("deleted", Some("1"), None),
        change("changed", Some("1"), Some("2")),
        change("replaced", Some("1"), None),
        change("replaced", None, Some("3")),
    ];
    assert_eq!(*changes.lock(), expected);
    let written = world.set("kept", "2").await;
    cache.passed(&version(&written)).await;
    assert_eq!(value(&cache.get(&key("kept")).unwrap()), "2");
}

#[tokio::test]
async fn a_late_hook_is_told_of_what_is_there() {
    let world = World::start().await;
    world.create("a", "1").await;
    let (builder, _) = recording(&world);
    let cache = builder.filter(|map| value(map) == "1").start(&world.ports);
    cache.synced().await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let sink = told.clone();
    cache.on_change(move |old, new| sink.lock().push((old.map(value), new.map(value))));
    assert_eq!(*told.lock(), [(None, Some("1".to_owned()))]);
    // What the filter refuses is gone for the cache.
    cache.passed(&version(&world.set("a", "2").await)).await;
    assert_eq!(told.lock().last(), Some(&(Some("1".to_owned()), None)));
}

#[tokio::test]
async fn the_watch_ends_with_the_last_handle() {
    let world = World::start().await;
    let (builder, _) = recording(&world);
    let cache = builder.start(&world.ports);
    cache.synced().await;
    let clone = cache.clone();
    world.settle().await;
    drop(cache);
    world.settle().await;
    assert_eq!(world.faults.open_watches(), 1);
    drop(clone);
    world.settle().await;
    assert_eq!(world.faults.open_watches(), 0);
}

#[tokio::test]
async fn a_silent_watch_is_opened_anew() {
    let world = World::start().await;
    let (builder, _) = recording(&world);
    let cache = builder.start(&world.ports);
    cache.synced().await;
    world.settle().await;
    world.faults.hold_watches(true);
    let written = world.create("a", "1").await;
    world.pass(std::time::Duration::from_secs(321)).await;
    world.faults.hold_watches(false);
    world.eventually("the event arrives", || cache.get(&key("a")).is_some()).await;
    cache.passed(&version(&written)).await;
}

fn version(map: &ConfigMap) -> String {
    map.metadata.resource_version.clone().unwrap()
}
