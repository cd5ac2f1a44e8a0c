//! Caches follow the API server whatever happens to their watch.

use std::{sync::Arc, time::Duration};

use core_clock::Clock;
use dev_testkit::engine::Identity;
use io_kube::{Cache, CacheBuilder, Index, ObjectKey};
use k8s_openapi::api::{
    core::v1::ConfigMap,
    rbac::v1::{Role, RoleBinding},
};
use kube::{Api, api::PostParams};
use parking_lot::Mutex;
use serde_json::json;

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
async fn what_nobody_asks_for_is_taken_away_on_every_way_in() {
    let world = World::start().await;
    world.create("a", "x").await;
    let (builder, changes) = recording(&world);
    let builder = builder.filter(|map| ["x", "y"].contains(&value(map).as_str()));
    let cache = builder.reduce(|map| map.data = None).start(&world.ports);
    cache.synced().await;
    cache.passed(&version(&world.create("b", "y").await)).await;
    cache.passed(&version(&world.set("b", "z").await)).await;
    assert_eq!(
        *changes.lock(),
        [change("a", None, Some("")), change("b", None, Some("")), change("b", Some(""), None)],
    );
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
async fn history_lost_on_the_server_leads_to_a_new_list_that_tells_only_of_what_changed() {
    let world = World::start().await;
    relist_after(&world, || {
        world.clock.advance(Duration::from_hours(3));
        world.engine.store().compact(world.clock.now());
        world.faults.refuse_watches(None);
    })
    .await;
}

#[tokio::test]
async fn a_reply_that_history_is_lost_leads_to_a_new_list_too() {
    let world = World::start().await;
    relist_after(&world, || world.faults.refuse_watches(Some(410))).await;
}

async fn relist_after(world: &World, lose_history: impl FnOnce()) {
    for name in ["kept", "changed", "deleted", "replaced"] {
        world.create(name, "1").await;
    }
    let (builder, changes) = recording(world);
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
    lose_history();
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
async fn a_hook_that_panics_stops_neither_the_watch_nor_other_hooks() {
    let world = World::start().await;
    let changes = Arc::new(Mutex::new(0));
    let told = changes.clone();
    let cache: Cache<ConfigMap> = Cache::builder(world.client.clone())
        .namespace("default")
        .on_change(|_, _| panic!("expected in this test"))
        .on_change(move |_, _| *told.lock() += 1)
        .start(&world.ports);
    cache.synced().await;
    let before = *changes.lock();
    cache.passed(&version(&world.create("a", "1").await)).await;
    assert_eq!(*changes.lock(), before + 1);
}

#[tokio::test]
async fn a_watch_works_within_a_second_of_being_allowed() {
    let world = World::start().await;
    let cache: Cache<ConfigMap> =
        Cache::builder(world.engine.client_as(Identity::service_account("default", "reader", "")))
            .namespace("default")
            .start(&world.ports);
    for _ in 0..30 {
        world.pass(Duration::from_secs(1)).await;
    }
    assert!(!cache.is_synced());
    grant(&world).await;
    world.pass(Duration::from_millis(500)).await;
    world.pass(Duration::from_millis(500)).await;
    assert!(cache.is_synced());
}

#[tokio::test]
async fn a_watch_that_is_refused_later_is_told_until_it_is_allowed_again() {
    let world = World::start().await;
    world.create("a", "1").await;
    let (builder, _) = recording(&world);
    let cache = builder.start(&world.ports);
    cache.synced().await;
    world.settle().await;
    assert!(!cache.is_refused());
    for (code, is_refused) in [(503, false), (403, true)] {
        world.faults.refuse_watches(Some(code));
        world.faults.cut_watches();
        world.pass(Duration::from_secs(1)).await;
        assert_eq!(cache.is_refused(), is_refused, "{code}");
    }
    assert!(cache.get(&key("a")).is_some());
    world.faults.refuse_watches(None);
    world.eventually("the watch is allowed", || !cache.is_refused()).await;
}

/// Lets the ServiceAccount `reader` read ConfigMaps.
async fn grant(world: &World) {
    let rules =
        json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}]);
    let role = json!({"metadata": {"name": "reader"}, "rules": rules});
    let subject = json!({"kind": "ServiceAccount", "name": "reader", "namespace": "default"});
    let role_ref =
        json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"});
    let binding =
        json!({"metadata": {"name": "reader"}, "subjects": [subject], "roleRef": role_ref});
    let (role, binding) =
        (serde_json::from_value(role).unwrap(), serde_json::from_value(binding).unwrap());
    let params = PostParams::default();
    let roles: Api<Role> = Api::namespaced(world.engine.admin_client(), "default");
    roles.create(&params, &role).await.unwrap();
    let bindings: Api<RoleBinding> = Api::namespaced(world.engine.admin_client(), "default");
    bindings.create(&params, &binding).await.unwrap();
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
    world.pass(Duration::from_secs(321)).await;
    world.faults.hold_watches(false);
    world.eventually("the event arrives", || cache.get(&key("a")).is_some()).await;
    cache.passed(&version(&written)).await;
}

fn version(map: &ConfigMap) -> String {
    map.metadata.resource_version.clone().unwrap()
}

#[tokio::test]
async fn a_watch_that_ended_keeps_nothing_alive_through_its_hooks() {
    let world = World::start().await;
    let cache: Cache<ConfigMap> =
        Cache::builder(world.client.clone()).namespace("default").start(&world.ports);
    cache.synced().await;
    // The hook holds the cache that holds it, as those of controllers do.
    let held = Arc::new(cache.clone());
    let gone = Arc::downgrade(&held);
    cache.on_change(move |_, _| drop(held.list()));
    assert!(world.tasks.shutdown(Duration::from_secs(5)).await);
    assert!(gone.upgrade().is_none());
    // A hook that comes too late is told of what is there, and let go.
    let late = Arc::new(());
    let gone = Arc::downgrade(&late);
    cache.on_change(move |_, _| drop(late.clone()));
    assert!(gone.upgrade().is_none());
}
