//! Watches: where they start, what they show and how they end (rows 101 to 109).

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    cases::Cases,
    difference::Difference,
    engine::{Engine, Server},
    expect::{at, equal, matches, revision, text},
    namespace::{Namespace, config_map, widget},
    patience::within,
    runner::Skip,
    watch::{Event, Watch},
    world::World,
};

const QUIET: Duration = Duration::from_millis(500);
const INITIAL: &str = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

pub(crate) async fn starts(world: &World<'_>) -> Result<()> {
    let (namespace, path) = two(world).await?;
    let before = revision(&world.read(&path).await?)?;
    for query in ["", "resourceVersion=0", "limit=1"] {
        let mut watch = world.watch(&path, query).await?;
        added_both(&mut watch).await?;
        watch.silent_for(QUIET).await?;
    }
    let mut later = world.watch(&path, &format!("resourceVersion={before}")).await?;
    later.silent_for(QUIET).await?;
    world.create(&path, &widget("c")).await?;
    later.expect("ADDED", "c").await?;
    world.merge(&namespace.widget("a"), &json!({"spec": {"count": 1}})).await?.is(200)?;
    later.expect("MODIFIED", "a").await?;
    let mut replayed = world.watch(&path, &format!("resourceVersion={before}")).await?;
    replayed.expect("ADDED", "c").await?;
    replayed.expect("MODIFIED", "a").await?;
    let code = world.differs(Difference::ServerErrorForClientMistake, 400, 500);
    world.get(&format!("{path}?watch=true&resourceVersion=abc")).await?.is(code)?;
    let item = world.get(&format!("{}?watch=true", namespace.widget("a"))).await?.is(200)?;
    at(&item, "/kind", "Widget")
}

pub(crate) async fn changes(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widgets();
    let start = revision(&world.read(&path).await?)?;
    let mut watch = world.watch(&path, &format!("resourceVersion={start}")).await?;
    equal(
        "content-type",
        &watch.lines.headers.get("content-type").map(http::HeaderValue::as_bytes),
        &Some(b"application/json".as_slice()),
    )?;
    let object = namespace.widget("a");
    let created = world.create(&path, &widget("a")).await?;
    let updated = world.merge(&object, &json!({"spec": {"count": 1}})).await?.is(200)?;
    let reported = world
        .merge(&format!("{object}/status"), &json!({"status": {"phase": "Up"}}))
        .await?
        .is(200)?;
    let labelled =
        world.merge(&object, &json!({"metadata": {"labels": {"a": "b"}}})).await?.is(200)?;
    world.merge(&object, &json!({"metadata": {"labels": {"a": "b"}}})).await?.is(200)?;
    world.delete(&object).await?.is(200)?;
    let again = world.create(&path, &widget("a")).await?;

    equal("created", &watch.expect("ADDED", "a").await?.object, &created)?;
    for wanted in [updated, reported, labelled.clone()] {
        equal("changed", &watch.expect("MODIFIED", "a").await?.object, &wanted)?;
    }
    let deleted = watch.expect("DELETED", "a").await?.object;
    let end = revision(&deleted)?;
    ensure!(end > revision(&labelled)?, "the delete has a revision of its own: {deleted}");
    let mut last_state = labelled;
    last_state["metadata"]["resourceVersion"] = deleted["metadata"]["resourceVersion"].clone();
    equal("deleted", &deleted, &last_state)?;
    let anew = watch.expect("ADDED", "a").await?.object;
    equal("created again", &anew, &again)?;
    ensure!(
        anew["metadata"]["uid"] != deleted["metadata"]["uid"] && revision(&anew)? > end,
        "again: {anew}"
    );
    watch.silent_for(QUIET).await
}

pub(crate) async fn selected_changes(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widgets();
    let start = revision(&world.read(&path).await?)?;
    let by_label =
        world.watch(&path, &format!("resourceVersion={start}&labelSelector=app%3Dx")).await?;
    let by_field = world
        .watch(&path, &format!("resourceVersion={start}&fieldSelector=spec.color%3Dred"))
        .await?;
    let by_name = world
        .watch(&path, &format!("resourceVersion={start}&fieldSelector=metadata.name%3Da"))
        .await?;
    let mut object = widget("a");
    object["metadata"]["labels"] = json!({"app": "x"});
    world.create(&path, &object).await?;
    world.create(&path, &widget("other")).await?;
    let at_path = namespace.widget("a");
    let changed = world.merge(&at_path, &json!({"spec": {"count": 1}})).await?.is(200)?;
    let outside = json!({"metadata": {"labels": {"app": "y"}}, "spec": {"color": "blue"}});
    let left = world.merge(&at_path, &outside).await?.is(200)?;
    world.merge(&at_path, &json!({"spec": {"count": 2}})).await?.is(200)?;
    let inside = json!({"metadata": {"labels": {"app": "x"}}, "spec": {"color": "red"}});
    let back = world.merge(&at_path, &inside).await?.is(200)?;
    world.delete(&at_path).await?.is(200)?;

    for (mut watch, other) in [(by_label, false), (by_field, true)] {
        watch.expect("ADDED", "a").await?;
        if other {
            watch.expect("ADDED", "other").await?;
        }
        watch.expect("MODIFIED", "a").await?;
        let mut gone = changed.clone();
        gone["metadata"]["resourceVersion"] = left["metadata"]["resourceVersion"].clone();
        equal("stopped to match", &watch.expect("DELETED", "a").await?.object, &gone)?;
        equal("matches again", &watch.expect("ADDED", "a").await?.object, &back)?;
        watch.expect("DELETED", "a").await?;
        watch.silent_for(QUIET).await?;
    }
    all_of_one(by_name).await
}

async fn all_of_one(mut watch: Watch) -> Result<()> {
    let events = watch.until(|event| event.kind == "DELETED").await?;
    let kinds: Vec<_> = events.iter().map(Event::brief).collect();
    let modified = ("MODIFIED", "a");
    equal(
        "by name",
        &kinds,
        &vec![("ADDED", "a"), modified, modified, modified, modified, ("DELETED", "a")],
    )
}

pub(crate) async fn initial_events(world: &World<'_>) -> Result<()> {
    let (namespace, path) = two(world).await?;
    let now = revision(&world.read(&path).await?)?;
    let mut cases = Cases::default();
    for query in [
        format!("{INITIAL}&allowWatchBookmarks=true"),
        format!("{INITIAL}&allowWatchBookmarks=true&resourceVersion=0"),
        format!("{INITIAL}&allowWatchBookmarks=true&resourceVersion={now}"),
        "resourceVersion=0&allowWatchBookmarks=true".to_owned(),
        "allowWatchBookmarks=true".to_owned(),
    ] {
        let mut watch = world.watch(&path, &query).await?;
        let seen = async {
            added_both(&mut watch).await?;
            end_of_initial_events(watch.next().await?, now)
        };
        cases.note(&query, seen.await);
    }
    let mut unmarked = world.watch(&path, INITIAL).await?;
    cases.note(
        "no bookmarks",
        async {
            added_both(&mut unmarked).await?;
            unmarked.silent_for(QUIET).await
        }
        .await,
    );
    cases.note("selector", initial_selection(world, &namespace, now).await);
    let none = world.namespace().await?.widgets();
    let mut empty = world.watch(&none, &format!("{INITIAL}&allowWatchBookmarks=true")).await?;
    cases.note("empty", empty.next().await.and_then(|event| end_of_initial_events(event, now)));
    let latest = revision(&world.read(&path).await?)?;
    for version in [String::new(), format!("&resourceVersion={latest}")] {
        let query = format!("sendInitialEvents=false&resourceVersionMatch=NotOlderThan{version}");
        let mut later = world.watch(&path, &query).await?;
        cases.note(query, later.silent_for(QUIET).await);
    }
    cases.finish()
}

async fn initial_selection(world: &World<'_>, namespace: &Namespace, now: u64) -> Result<()> {
    let path = namespace.widgets();
    let query = format!("{INITIAL}&allowWatchBookmarks=true&labelSelector=app%3Dx");
    let mut watch = world.watch(&path, &query).await?;
    end_of_initial_events(watch.next().await?, now)?;
    world
        .merge(&namespace.widget("a"), &json!({"metadata": {"labels": {"app": "x"}}}))
        .await?
        .is(200)?;
    watch.expect("ADDED", "a").await?;
    let mut again = world.watch(&path, &query).await?;
    again.expect("ADDED", "a").await?;
    end_of_initial_events(again.next().await?, now)
}

/// The bookmark after the initial events: nothing but the version and the mark.
fn end_of_initial_events(event: Event, at_least: u64) -> Result<()> {
    equal("type", &event.kind.as_str(), &"BOOKMARK")?;
    ensure!(revision(&event.object)? >= at_least, "older than {at_least}: {event:?}");
    let want = json!({"apiVersion": "conf.example.com/v1", "kind": "Widget", "metadata": {
        "annotations": {"k8s.io/initial-events-end": "true"},
        "resourceVersion": event.object["metadata"]["resourceVersion"]}});
    equal("bookmark", &event.object, &want)
}

pub(crate) async fn bad_initial_events(world: &World<'_>) -> Result<()> {
    let path = format!("{}?watch=true&timeoutSeconds=1", world.namespace().await?.widgets());
    let requires =
        "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    let requires = ("resourceVersionMatch", "FieldValueForbidden", requires);
    let unsupported = "Unsupported value: \"Exact\": supported values: \"NotOlderThan\"";
    let unsupported = ("resourceVersionMatch", "FieldValueNotSupported", unsupported);
    let alone = "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    let alone = ("resourceVersionMatch", "FieldValueForbidden", alone);
    let mut cases = Cases::default();
    for (query, causes) in [
        ("sendInitialEvents=true", &[requires][..]),
        ("sendInitialEvents=false", &[requires]),
        (
            "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1",
            &[requires, unsupported],
        ),
        ("resourceVersionMatch=NotOlderThan&resourceVersion=1", &[alone]),
    ] {
        cases.note(query, world.get(&format!("{path}&{query}")).await?.invalid(causes));
    }
    let reply = world.get(&format!("{path}&sendInitialEvents=true")).await?;
    let message = "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents \
                   requires setting resourceVersionMatch to NotOlderThan";
    cases.note("text", reply.fails_saying(422, "Invalid", message));
    for (query, message) in [
        ("labelSelector=%3Dx", "found '=', expected: !, identifier, or 'end of string'"),
        ("fieldSelector=spec.note%3Dx", "field label not supported: spec.note"),
    ] {
        let reply = world.get(&format!("{path}&{query}")).await?;
        cases.note(query, reply.fails_saying(400, "BadRequest", message));
    }
    cases.finish()
}

pub(crate) async fn too_old(world: &World<'_>) -> Result<()> {
    let (_, path) = two(world).await?;
    within(Duration::from_mins(1), || async {
        let mut watch = world.watch(&path, "resourceVersion=1").await?;
        let event = watch.next_within(Duration::from_secs(2)).await?;
        equal("type", &event.kind.as_str(), &"ERROR")?;
        let message = text(&event.object, "/message")?;
        matches("message", message, r"too old resource version: 1 \(\d+\)")?;
        let want = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": "Expired", "code": 410});
        equal("status", &event.object, &want)?;
        watch.ends_within(Duration::from_secs(2)).await
    })
    .await
}

pub(crate) async fn timeout(world: &World<'_>) -> Result<()> {
    let (_, path) = two(world).await?;
    let start = Instant::now();
    let mut watch = world.watch(&path, "timeoutSeconds=2").await?;
    added_both(&mut watch).await?;
    watch.ends_within(Duration::from_secs(6)).await?;
    let took = start.elapsed();
    ensure!(took > Duration::from_millis(1900), "ended after {took:?}");
    Ok(())
}

pub(crate) async fn bookmark_when_idle(world: &World<'_>) -> Result<()> {
    let (_, path) = two(world).await?;
    let now = revision(&world.read(&path).await?)?;
    let query = format!("resourceVersion={now}&allowWatchBookmarks=true");
    let event = world.watch(&path, &query).await?.next_within(Duration::from_secs(70)).await?;
    equal("type", &event.kind.as_str(), &"BOOKMARK")?;
    ensure!(revision(&event.object)? >= now, "older than {now}: {event:?}");
    let want = json!({"apiVersion": "conf.example.com/v1", "kind": "Widget",
        "metadata": {"resourceVersion": event.object["metadata"]["resourceVersion"]}});
    equal("bookmark", &event.object, &want)
}

pub(crate) async fn resumes_after_restart(world: &World<'_>) -> Result<()> {
    if world.engine() == Engine::Cluster {
        let why =
            "kube-apiserver forgets its watch history when it restarts: its clients list again";
        return Err(Skip(why.to_owned()).into());
    }
    let server = Server::start(Engine::Embedded).await?;
    let suite = crate::world::Suite::new(Engine::Embedded, server.kubeconfig())?;
    let before = suite.world(109);
    let path = before.namespace().await?.core("configmaps");
    let seen = before.create(&path, &config_map("seen", json!({}))).await?;
    let mut missed: Vec<Value> = Vec::new();
    for name in ["a", "b", "c"] {
        missed.push(before.create(&path, &config_map(name, json!({}))).await?);
    }
    let server = server.restart().await?;
    let suite = crate::world::Suite::new(Engine::Embedded, server.kubeconfig())?;
    let after = suite.world(109);
    let mut watch = after.watch(&path, &format!("resourceVersion={}", revision(&seen)?)).await?;
    for object in &missed {
        let name = text(object, "/metadata/name")?;
        let event = watch.expect("ADDED", name).await?;
        equal(name, &event.object["metadata"], &object["metadata"])?;
    }
    watch.silent_for(QUIET).await?;
    after.create(&path, &config_map("live", json!({}))).await?;
    watch.expect("ADDED", "live").await?;
    server.stop().await
}

/// A namespace with the Widgets a and b, and the path of its Widgets.
async fn two(world: &World<'_>) -> Result<(Namespace, String)> {
    let namespace = world.namespace().await?;
    let path = namespace.widgets();
    for name in ["a", "b"] {
        world.create(&path, &widget(name)).await?;
    }
    Ok((namespace, path))
}

/// The state at the start, in any order.
async fn added_both(watch: &mut Watch) -> Result<()> {
    let events = [watch.next().await?, watch.next().await?];
    let mut briefs = events.each_ref().map(Event::brief);
    briefs.sort_unstable();
    equal("initial events", &briefs, &[("ADDED", "a"), ("ADDED", "b")])
}
