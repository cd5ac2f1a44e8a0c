//! Lists: pages, snapshots and versions (rows 91 to 96 and 100).

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    cases::Cases,
    expect::{at, equal, matches, revision, text},
    namespace::{Namespace, config_map, widget},
    patience::within,
    world::World,
};

/// Longer than history lasts on either engine as the suite starts it.
const HISTORY: Duration = Duration::from_mins(1);
const FUTURE: &str = "999999999999";

pub(crate) async fn empty(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let lists = [
        (namespace.widgets(), "WidgetList", "conf.example.com/v1"),
        (namespace.core("secrets"), "SecretList", "v1"),
        (
            namespace.widgets().replace(&namespace.name, "conf-nowhere"),
            "WidgetList",
            "conf.example.com/v1",
        ),
    ];
    for (path, kind, version) in lists {
        let list = world.read(&path).await?;
        at(&list, "/kind", kind)?;
        at(&list, "/apiVersion", version)?;
        at(&list, "/items", json!([]))?;
        ensure!(revision(&list)? > 0, "no resourceVersion in {list}");
        ensure!(
            list["metadata"]["continue"].as_str().unwrap_or_default().is_empty(),
            "continue in {list}"
        );
        ensure!(
            list["metadata"].get("remainingItemCount").is_none(),
            "remainingItemCount in {list}"
        );
    }
    Ok(())
}

pub(crate) async fn pages(world: &World<'_>) -> Result<()> {
    let namespace = seven(world).await?;
    let path = namespace.widgets();
    let first = world.read(&format!("{path}?limit=3")).await?;
    equal("first page", &names(&first), &vec!["p0", "p1", "p2"])?;
    at(&first, "/metadata/remainingItemCount", 4)?;
    world.create(&path, &widget("p35")).await?;
    world.delete(&namespace.widget("p4")).await?.is(200)?;

    let second = next_page(world, &path, &first).await?.is(200)?;
    equal("second page", &names(&second), &vec!["p3", "p4", "p5"])?;
    at(&second, "/metadata/remainingItemCount", 1)?;
    let third = next_page(world, &path, &second).await?.is(200)?;
    equal("third page", &names(&third), &vec!["p6"])?;
    ensure!(
        third["metadata"]["continue"].as_str().unwrap_or_default().is_empty(),
        "no end: {third}"
    );
    for page in [&second, &third] {
        equal("revision of later pages", &revision(page)?, &revision(&first)?)?;
    }
    let selected = world.read(&format!("{path}?limit=3&labelSelector=!absent")).await?;
    text(&selected, "/metadata/continue")?;
    ensure!(selected["metadata"].get("remainingItemCount").is_none(), "counted: {selected}");
    let all = world.read(&format!("{path}?limit=-1")).await?;
    equal("no limit", &names(&all), &vec!["p0", "p1", "p2", "p3", "p35", "p5", "p6"])
}

pub(crate) async fn bad_continue(world: &World<'_>) -> Result<()> {
    let namespace = seven(world).await?;
    let path = namespace.widgets();
    for token in ["%21%21", "abc", "e30"] {
        let reply = world.get(&format!("{path}?continue={token}")).await?;
        reply.fails_with(400, "BadRequest", "continue key is not valid")?;
    }
    let first = world.read(&format!("{path}?limit=3")).await?;
    let token = text(&first, "/metadata/continue")?;
    let both = format!("{path}?continue={token}&resourceVersion={}", revision(&first)?);
    let message = "specifying resource version is not allowed when using continue";
    world.get(&both).await?.fails_saying(400, "BadRequest", message)?;
    world.get(&format!("{path}?continue={token}&resourceVersion=0")).await?.is(200)?;
    let matched = format!("{path}?continue={token}&resourceVersionMatch=Exact&resourceVersion=0");
    world.get(&matched).await?.fails_with(
        422,
        "Invalid",
        "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided",
    )?;
    world.get(&format!("{path}?limit=x")).await?.fails(400, "BadRequest").map(drop)
}

pub(crate) async fn expired_continue(world: &World<'_>) -> Result<()> {
    let namespace = seven(world).await?;
    let path = namespace.widgets();
    let first = world.read(&format!("{path}?limit=3")).await?;
    world.create(&path, &widget("p35")).await?;
    world.delete(&namespace.widget("p4")).await?.is(200)?;
    let expired =
        within(HISTORY, || async { next_page(world, &path, &first).await?.is(410) }).await?;
    at(&expired, "/reason", "Expired")?;
    at(&expired, "/code", 410)?;
    let message = text(&expired, "/message")?;
    ensure!(
        message.starts_with("The provided continue parameter is too old"),
        "message: {message}"
    );
    let resumed = next_page(world, &path, &expired).await?.is(200)?;
    equal("resumed", &names(&resumed), &vec!["p3", "p35", "p5"])?;
    at(&resumed, "/metadata/remainingItemCount", 1)?;
    ensure!(revision(&resumed)? > revision(&first)?, "old revision in {resumed}");
    let last = next_page(world, &path, &resumed).await?.is(200)?;
    equal("last", &names(&last), &vec!["p6"])
}

pub(crate) async fn versions(world: &World<'_>) -> Result<()> {
    let namespace = seven(world).await?;
    let path = namespace.widgets();
    let old = revision(&world.read(&path).await?)?;
    world.create(&path, &widget("p35")).await?;
    world.delete(&namespace.widget("p4")).await?.is(200)?;
    let latest = revision(&world.read(&path).await?)?;
    let now = vec!["p0", "p1", "p2", "p3", "p35", "p5", "p6"];
    let then = vec!["p0", "p1", "p2", "p3", "p4", "p5", "p6"];
    let two = vec!["p0", "p1"];
    let mut cases = Cases::default();
    for (query, want, exact) in [
        ("resourceVersion=0".to_owned(), &now, false),
        ("resourceVersion=0&limit=2".to_owned(), &now, false),
        (format!("resourceVersion={old}"), &now, false),
        (format!("resourceVersion={latest}"), &now, false),
        ("resourceVersion=0&resourceVersionMatch=NotOlderThan".to_owned(), &now, false),
        (format!("resourceVersion={old}&resourceVersionMatch=NotOlderThan"), &now, false),
        (format!("resourceVersion={old}&resourceVersionMatch=NotOlderThan&limit=2"), &two, false),
        (format!("resourceVersion={old}&limit=2"), &two, true),
        (format!("resourceVersion={old}&resourceVersionMatch=Exact"), &then, true),
        (format!("resourceVersion={old}&resourceVersionMatch=Exact&limit=2"), &two, true),
    ] {
        let reply = world.get(&format!("{path}?{query}")).await?;
        cases.note(
            &query,
            reply.is(200).and_then(|list| {
                equal("names", &names(&list), want)?;
                let got = revision(&list)?;
                ensure!(
                    if exact { got == old } else { got >= latest },
                    "got {got}, {old} was old, {latest} latest"
                );
                Ok(())
            }),
        );
    }
    bad_versions(world, &path, &mut cases).await?;
    future_versions(world, &namespace, &mut cases).await?;
    cases.finish()
}

async fn bad_versions(world: &World<'_>, path: &str, cases: &mut Cases) -> Result<()> {
    let forbidden =
        "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided";
    for (query, reason, message) in [
        (
            "resourceVersion=0&resourceVersionMatch=Exact",
            "FieldValueForbidden",
            "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
        ),
        ("resourceVersionMatch=Exact", "FieldValueForbidden", forbidden),
        ("resourceVersionMatch=NotOlderThan", "FieldValueForbidden", forbidden),
        (
            "resourceVersion=1&resourceVersionMatch=Foo",
            "FieldValueNotSupported",
            "Unsupported value: \"Foo\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
        ),
    ] {
        let reply = world.get(&format!("{path}?{query}")).await?;
        cases.note(
            query,
            reply.invalid(&[("resourceVersionMatch", reason, message)]).and_then(|status| {
                at(&status, "/details/kind", "ListOptions")?;
                at(&status, "/details/group", "meta.k8s.io")
            }),
        );
    }
    let initial = world.get(&format!("{path}?sendInitialEvents=true")).await?;
    cases.note(
        "sendInitialEvents",
        initial.invalid(&[(
            "sendInitialEvents",
            "FieldValueForbidden",
            "Forbidden: sendInitialEvents is forbidden for list",
        )]),
    );
    for value in ["abc", "-1"] {
        let message = format!(
            "invalid resource version: resourceVersion: Invalid value: \"{value}\": strconv.ParseUint: parsing \
             \"{value}\": invalid syntax"
        );
        let reply = world.get(&format!("{path}?resourceVersion={value}")).await?;
        cases.note(value, reply.fails_saying(400, "BadRequest", &message));
    }
    Ok(())
}

async fn future_versions(
    world: &World<'_>,
    namespace: &Namespace,
    cases: &mut Cases,
) -> Result<()> {
    let list = namespace.widgets();
    for path in [
        format!("{list}?resourceVersion={FUTURE}"),
        format!("{list}?resourceVersion={FUTURE}&resourceVersionMatch=NotOlderThan"),
        format!("{list}?resourceVersion={FUTURE}&resourceVersionMatch=Exact"),
        format!("{list}/p1?resourceVersion={FUTURE}"),
    ] {
        let reply = world.get(&path).await?;
        cases.note(&path, reply.fails(504, "Timeout").and_then(|status| {
            let pattern = format!(r"Timeout: Too large resource version: {FUTURE}, current: \d+");
            matches("message", text(&status, "/message")?, &pattern)?;
            equal("retry-after", &reply.header("retry-after"), &"1")?;
            at(&status, "/details", json!({"retryAfterSeconds": 1,
                "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]}))
        }));
    }
    Ok(())
}

pub(crate) async fn exact_after_history(world: &World<'_>) -> Result<()> {
    let namespace = seven(world).await?;
    let path = namespace.widgets();
    let old = revision(&world.read(&path).await?)?;
    world.create(&path, &widget("later")).await?;
    let exact = format!("{path}?resourceVersion={old}&resourceVersionMatch=Exact");
    world.get(&exact).await?.is(200)?;
    let message = "The resourceVersion for the provided list is too old.";
    within(HISTORY, || async { world.get(&exact).await?.fails_saying(410, "Expired", message) })
        .await?;
    let at_least = world.get(&format!("{path}?resourceVersion={old}")).await?.is(200)?;
    equal("at least", &names(&at_least).len(), &8)
}

pub(crate) async fn kinds_of_items(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    world.create(&namespace.core("configmaps"), &config_map("a", json!({}))).await?;
    let widgets = world.read(&namespace.widgets()).await?;
    at(&widgets, "/items/0/kind", "Widget")?;
    at(&widgets, "/items/0/apiVersion", "conf.example.com/v1")?;
    let role = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    for path in [namespace.core("configmaps").as_str(), "/api/v1/namespaces", role] {
        let list = world.read(path).await?;
        text(&list, "/items/0/metadata/name")?;
        for field in ["kind", "apiVersion"] {
            ensure!(list["items"][0].get(field).is_none(), "{path}: items have {field}");
        }
    }
    let single = world.read(&format!("{}/a", namespace.core("configmaps"))).await?;
    at(&single, "/kind", "ConfigMap")
}

/// A namespace with the Widgets p0 to p6.
async fn seven(world: &World<'_>) -> Result<Namespace> {
    let namespace = world.namespace().await?;
    for number in 0..7 {
        world.create(&namespace.widgets(), &widget(&format!("p{number}"))).await?;
    }
    Ok(namespace)
}

/// The page after this one, or after the token in a failure.
async fn next_page(world: &World<'_>, path: &str, page: &Value) -> Result<Answer> {
    let token = text(page, "/metadata/continue")?;
    world.get(&format!("{path}?limit=3&continue={token}")).await
}

fn names(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().into_iter().flatten();
    items.filter_map(|item| item["metadata"]["name"].as_str()).collect()
}
