//! Rows 52–63: merge patches, JSON patches and strategic merge patches.

use anyhow::Result;
use futures::future::try_join_all;
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    expect::{at, equal, matches, revision, text},
    namespace::{config_map, widget, widget_with},
    world::World,
};

pub(crate) async fn null_deletes(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let spec = json!({"color": "red", "size": "large", "note": "abc", "tags": ["a", "b"], "labels": {"x": "1", "y": "2"}});
    world.create(&namespace.widgets(), &widget_with("a", spec)).await?;
    let patch = json!({"spec": {"size": null, "note": null, "tags": ["c"], "labels": {"x": null, "z": "3"}}});
    let patched = world.merge(&namespace.widget("a"), &patch).await?.is(200)?;
    at(
        &patched,
        "/spec",
        json!({"color": "red", "size": "medium", "tags": ["c"], "labels": {"y": "2", "z": "3"}}),
    )?;
    at(&patched, "/metadata/generation", 2)
}

pub(crate) async fn stale_revision(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let created = world.create(&namespace.widgets(), &widget("a")).await?;
    let path = namespace.widget("a");
    let patch = |count: u32| {
        json!({"metadata": {"resourceVersion": created["metadata"]["resourceVersion"]},
        "spec": {"count": count}})
    };
    world.merge(&path, &patch(1)).await?.is(200)?;
    let reply = world.merge(&path, &patch(2)).await?;
    reply.fails_with(
        409,
        "Conflict",
        "the object has been modified; please apply your changes to the latest version",
    )?;
    at(&world.read(&path).await?, "/spec/count", 1)
}

pub(crate) async fn nothing_changed(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let created = world.create(&namespace.widgets(), &widget("a")).await?;
    for patch in [json!({}), json!({"spec": {"color": "red"}}), json!({"spec": {"size": null}})] {
        let same = world.merge(&namespace.widget("a"), &patch).await?.is(200)?;
        equal("reply", &same, &created)?;
    }
    let empty_list = world.patch("json", &namespace.widget("a"), &json!([])).await?.is(200)?;
    equal("resourceVersion", &revision(&empty_list)?, &revision(&created)?)
}

pub(crate) async fn twenty_at_once(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    let path = namespace.widget("a");
    let patches: Vec<Value> = (0..20)
        .map(|number| json!({"metadata": {"labels": {format!("l{number}"): "x"}}}))
        .collect();
    let replies = try_join_all(patches.iter().map(|patch| world.merge(&path, patch))).await?;
    for reply in replies {
        reply.is(200)?;
    }
    let labels = world.read(&path).await?["metadata"]["labels"].take();
    equal("labels", &labels.as_object().map(serde_json::Map::len), &Some(20))
}

pub(crate) async fn json_patch(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world
        .create(
            &namespace.widgets(),
            &widget_with("a", json!({"color": "red", "tags": ["a", "b"]})),
        )
        .await?;
    let path = namespace.widget("a");
    let patch = json!([
        {"op": "test", "path": "/spec/color", "value": "red"},
        {"op": "add", "path": "/spec/tags/1", "value": "c"},
        {"op": "add", "path": "/spec/tags/-", "value": "d"},
        {"op": "replace", "path": "/spec/color", "value": "blue"},
        {"op": "add", "path": "/metadata/labels", "value": {"a~b/c": "1"}},
        {"op": "copy", "from": "/spec/color", "path": "/spec/plain"},
        {"op": "move", "from": "/spec/plain", "path": "/spec/note"},
        {"op": "remove", "path": "/spec/tags/0"},
        {"op": "remove", "path": "/metadata/labels/a~0b~1c"},
        {"op": "replace", "path": "/spec/plain", "value": "set"},
    ]);
    let patched = world.patch("json", &path, &patch).await?.is(200)?;
    at(
        &patched,
        "/spec",
        json!({"color": "blue", "note": "blue", "plain": "set", "size": "medium", "tags": ["c", "b", "d"]}),
    )?;
    let message = "the server rejected our request due to an error in our request";
    for patch in [
        json!([{"op": "replace", "path": "/spec/note", "value": "abc"}, {"op": "test", "path": "/spec/color", "value": "red"}]),
        json!([{"op": "remove", "path": "/spec/none"}]),
        json!([{"op": "add", "path": "/spec/none/below", "value": 1}]),
        json!([{"op": "frobnicate", "path": "/spec/color", "value": "red"}]),
    ] {
        let status =
            world.patch("json", &path, &patch).await?.fails_saying(422, "Invalid", message)?;
        at(&status, "/details", json!({}))?;
    }
    equal("stored", &world.read(&path).await?, &patched)
}

pub(crate) async fn json_patch_is_no_array(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    let patch = json!({"op": "add", "path": "/spec/note", "value": "abc"});
    let reply = world.patch("json", &namespace.widget("a"), &patch).await?;
    reply.fails_with(400, "BadRequest", "error decoding patch: ").map(drop)
}

pub(crate) async fn strategic_on_custom_resource(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    let reply =
        world.patch("strategic-merge", &namespace.widget("a"), &json!({"spec": {}})).await?;
    unsupported(&reply)
}

pub(crate) async fn patch_as_plain_json(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    world.create(&namespace.core("configmaps"), &config_map("a", json!({}))).await?;
    let config_map = format!("{}/a", namespace.core("configmaps"));
    for headers in [&[("content-type", "application/json")][..], &[]] {
        let reply = world.send(http::Method::PATCH, &namespace.widget("a"), headers, "{}").await?;
        unsupported(&reply)?;
        let reply = world.send(http::Method::PATCH, &config_map, headers, "{}").await?;
        reply.fails(415, "UnsupportedMediaType")?;
    }
    Ok(())
}

/// A 415 that names the patch types of custom resources; `apply` is the last where it is served.
fn unsupported(reply: &Answer) -> Result<()> {
    let types = "the body of the request was in an unknown format - accepted media types include: \
                 application/json-patch+json, application/merge-patch+json";
    let status = reply.fails(415, "UnsupportedMediaType")?;
    let pattern = format!("{}(, application/apply-patch\\+yaml)?", regex::escape(types));
    matches(reply, text(&status, "/message")?, &pattern)
}

pub(crate) async fn missing_object(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let patch = json!({"metadata": {"labels": {"a": "1"}}});
    let config_map = format!("{}/a", namespace.core("configmaps"));
    let custom = "widgets.conf.example.com \"a\" not found";
    world.merge(&namespace.widget("a"), &patch).await?.fails_saying(404, "NotFound", custom)?;
    let status = format!("{}/status", namespace.widget("a"));
    world.merge(&status, &json!({"status": {}})).await?.fails_saying(404, "NotFound", custom)?;
    world
        .patch("json", &namespace.widget("a"), &json!([]))
        .await?
        .fails_saying(404, "NotFound", custom)?;
    let reply = world.patch("strategic-merge", &config_map, &patch).await?;
    reply.fails_saying(404, "NotFound", "configmaps \"a\" not found").map(drop)
}
