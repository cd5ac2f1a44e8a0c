//! Watching.

use std::time::Duration;

use emb_store::MemoryLog;
use serde_json::{Value, json};

use crate::{
    custom::{WIDGETS, install, widget},
    world::{CONFIG_MAPS, Setup, config_map, test, test_with},
};

#[expect(clippy::unnecessary_wraps, reason = "reads like what `seen` gives")]
fn pair(kind: &str, name: &str) -> Option<(String, String)> {
    Some((kind.to_owned(), name.to_owned()))
}

fn labelled(name: &str, value: &str) -> Value {
    let mut object = config_map(name, json!({}));
    object["metadata"]["labels"] = json!({"app": value});
    object
}

#[test]
fn a_watch_without_version_shows_what_is_there_and_what_happens() {
    test(|api| async move {
        install(&api).await;
        api.post(WIDGETS, &widget("a", json!({}))).await.expect(201);
        let mut watch = api.watch(&format!("{WIDGETS}?watch=true")).await;
        assert_eq!(watch.seen().await, pair("ADDED", "a"));
        assert_eq!(watch.seen().await, None);
        let changed = api.merge(&format!("{WIDGETS}/a"), &json!({"spec": {"count": 3}})).await;
        let event = watch.next().await.unwrap();
        assert_eq!(event["type"], "MODIFIED");
        assert_eq!(event["object"], changed.json);
        api.delete(&format!("{WIDGETS}/a")).await.expect(200);
        let event = watch.next().await.unwrap();
        assert_eq!(event["type"], "DELETED");
        let version = event["object"]["metadata"]["resourceVersion"].as_str().unwrap();
        assert!(version.parse::<u64>().unwrap() > changed.version());
        assert_eq!(event["object"]["kind"], "Widget");
    });
}

#[test]
fn a_watch_from_a_version_shows_only_what_came_later() {
    test(|api| async move {
        let first = api.post(CONFIG_MAPS, &config_map("a", json!({}))).await.expect(201);
        api.post(CONFIG_MAPS, &config_map("b", json!({}))).await.expect(201);
        let path = format!("{CONFIG_MAPS}?watch=1&resourceVersion={}", first.version());
        let mut watch = api.watch(&path).await;
        let event = watch.next().await.unwrap();
        assert_eq!(event["object"]["metadata"]["name"], "b");
        assert_eq!(event["object"]["kind"], "ConfigMap");
        assert_eq!(watch.seen().await, None);
    });
}

#[test]
fn a_selector_turns_changes_into_comings_and_goings() {
    test(|api| async move {
        api.post(CONFIG_MAPS, &labelled("a", "x")).await.expect(201);
        api.post(CONFIG_MAPS, &labelled("b", "y")).await.expect(201);
        let path = format!("{CONFIG_MAPS}?watch=true&labelSelector=app%3Dx");
        let mut watch = api.watch(&path).await;
        assert_eq!(watch.seen().await, pair("ADDED", "a"));
        let relabel = |value: &str| json!({"metadata": {"labels": {"app": value}}});
        let gone = api.merge(&format!("{CONFIG_MAPS}/a"), &relabel("z")).await.expect(200);
        let event = watch.next().await.unwrap();
        assert_eq!(event["type"], "DELETED");
        assert_eq!(event["object"]["metadata"]["labels"]["app"], "x");
        assert_eq!(
            event["object"]["metadata"]["resourceVersion"],
            gone.json["metadata"]["resourceVersion"]
        );
        api.merge(&format!("{CONFIG_MAPS}/b"), &relabel("x")).await.expect(200);
        assert_eq!(watch.seen().await, pair("ADDED", "b"));
        api.delete(&format!("{CONFIG_MAPS}/a")).await.expect(200);
        assert_eq!(watch.seen().await, None);
    });
}

#[test]
fn one_object_is_watched_by_its_name() {
    test(|api| async move {
        let path = format!("{CONFIG_MAPS}?watch=true&fieldSelector=metadata.name%3Da");
        let mut watch = api.watch(&path).await;
        api.post(CONFIG_MAPS, &config_map("b", json!({}))).await.expect(201);
        api.post(CONFIG_MAPS, &config_map("a", json!({}))).await.expect(201);
        assert_eq!(watch.seen().await, pair("ADDED", "a"));
        assert_eq!(watch.seen().await, None);
    });
}

#[test]
fn a_watch_list_ends_its_initial_events_with_a_bookmark() {
    test(|api| async move {
        install(&api).await;
        let path = format!(
            "{WIDGETS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
        );
        let mut watch = api.watch(&path).await;
        let mark = watch.next().await.unwrap();
        assert_eq!(mark["type"], "BOOKMARK");
        let annotations = &mark["object"]["metadata"]["annotations"];
        assert_eq!(annotations["k8s.io/initial-events-end"], "true");
        assert_eq!(mark["object"]["kind"], "Widget");
        api.post(WIDGETS, &widget("a", json!({}))).await.expect(201);
        assert_eq!(watch.seen().await, pair("ADDED", "a"));
        api.get(&format!("{WIDGETS}?watch=true&sendInitialEvents=true")).await.expect(422);
    });
}

#[test]
fn idle_watches_get_bookmarks_and_end_in_time() {
    test(|api| async move {
        let path = format!("{CONFIG_MAPS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=90");
        let mut watch = api.watch(&path).await;
        assert_eq!(watch.seen().await, pair("BOOKMARK", ""));
        assert_eq!(watch.seen().await, None);
        api.clock.advance(Duration::from_secs(61));
        let mark = watch.next().await.unwrap();
        assert_eq!(mark["type"], "BOOKMARK");
        let revision = api.store.revision().to_string();
        assert_eq!(mark["object"]["metadata"]["resourceVersion"], revision);
        assert!(!watch.ended().await);
        api.clock.advance(Duration::from_secs(30));
        assert!(watch.ended().await);
    });
}

#[test]
fn a_watch_resumes_after_a_restart_and_one_from_before_history_is_told() {
    let log = MemoryLog::default();
    let seen = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let first = Setup { log: log.clone(), ..Setup::default() };
    let noted = seen.clone();
    test_with(first, |api| async move {
        let reply = api.post(CONFIG_MAPS, &config_map("a", json!({}))).await.expect(201);
        api.post(CONFIG_MAPS, &config_map("b", json!({}))).await.expect(201);
        noted.store(reply.version(), std::sync::atomic::Ordering::Relaxed);
        api.store.close();
    });
    test_with(Setup { log, seed: 2, ..Setup::default() }, |api| async move {
        let from = seen.load(std::sync::atomic::Ordering::Relaxed);
        let mut watch =
            api.watch(&format!("{CONFIG_MAPS}?watch=true&resourceVersion={from}")).await;
        assert_eq!(watch.seen().await, pair("ADDED", "b"));
        assert_eq!(watch.seen().await, None);
        api.clock.advance(Duration::from_hours(3));
        api.post(CONFIG_MAPS, &config_map("c", json!({}))).await.expect(201);
        api.store.compact(core_clock::Clock::now(&api.clock) + Duration::from_hours(3));
        let mut old = api.watch(&format!("{CONFIG_MAPS}?watch=true&resourceVersion=1")).await;
        let event = old.next().await.unwrap();
        assert_eq!(event["type"], "ERROR");
        assert_eq!(event["object"]["code"], 410);
        assert!(old.ended().await);
    });
}
