//! Rows 67 and 68: what an apply makes of lists, and of fields that it no longer names.

use anyhow::Result;
use serde_json::json;

use super::{VERSION, apply, managers, widget_entry};
use crate::{
    expect::{at, equal},
    namespace::widget_with,
    world::World,
};

pub(crate) async fn lists(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("a");
    let first = json!({"color": "red", "tags": ["t1", "t2"], "path": ["p"],
        "items": [{"name": "a", "value": "1"}, {"name": "b"}]});
    apply(world, &path, "m1", &widget_with("a", first)).await?.is(201)?;
    let second =
        json!({"tags": ["t3", "t1"], "items": [{"name": "c", "value": "3"}, {"name": "a"}]});
    let both = apply(world, &path, "m2", &widget_with("a", second)).await?.is(200)?;
    at(&both, "/spec/tags", json!(["t3", "t1", "t2"]))?;
    at(
        &both,
        "/spec/items",
        json!([{"name": "c", "value": "3"}, {"name": "a", "value": "1"}, {"name": "b"}]),
    )?;
    let first = json!({"f:spec": {"f:color": {}, "f:path": {},
        "f:items": {"k:{\"name\":\"a\"}": {".": {}, "f:name": {}, "f:value": {}},
            "k:{\"name\":\"b\"}": {".": {}, "f:name": {}}},
        "f:tags": {"v:\"t1\"": {}, "v:\"t2\"": {}}}});
    let second = json!({"f:spec": {
        "f:items": {"k:{\"name\":\"a\"}": {".": {}, "f:name": {}},
            "k:{\"name\":\"c\"}": {".": {}, "f:name": {}, "f:value": {}}},
        "f:tags": {"v:\"t1\"": {}, "v:\"t3\"": {}}}});
    let owned = json!([widget_entry("m1", "Apply", first), widget_entry("m2", "Apply", second)]);
    equal("managers", &managers(&both)?, &owned)?;

    let less = json!({"color": "red", "tags": ["t2"], "path": ["p"]});
    let left = apply(world, &path, "m1", &widget_with("a", less)).await?.is(200)?;
    at(&left, "/spec/tags", json!(["t3", "t1", "t2"]))?;
    at(&left, "/spec/items", json!([{"name": "c", "value": "3"}, {"name": "a"}]))?;
    let gone = json!({"items": []});
    let left = apply(world, &path, "m2", &widget_with("a", gone)).await?.is(200)?;
    at(&left, "/spec/tags", json!(["t2"]))
}

pub(crate) async fn dropped_fields(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("a");
    let full = json!({"color": "red", "size": "large", "note": "abc", "sub": {"a": "x"},
        "labels": {"x": "1", "y": "2"}, "any": {"deep": [1, {"b": null}]}});
    apply(world, &path, "m1", &widget_with("a", full)).await?.is(201)?;
    let shared = json!({"note": "abc", "labels": {"z": "3"}});
    apply(world, &path, "m2", &widget_with("a", shared)).await?.is(200)?;
    let less = widget_with("a", json!({"color": "red", "labels": {"y": "2"}}));
    let left = apply(world, &path, "m1", &less).await?.is(200)?;
    let want =
        json!({"color": "red", "size": "medium", "note": "abc", "labels": {"y": "2", "z": "3"}});
    at(&left, "/spec", want)?;
    let nothing = json!({"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "a"}});
    apply(world, &path, "m2", &nothing).await?.is(200)?;
    let last = widget_with("a", json!({"color": "red"}));
    let left = apply(world, &path, "m1", &last).await?.is(200)?;
    at(&left, "/spec", json!({"color": "red", "size": "medium"}))?;
    let owned = json!([widget_entry("m1", "Apply", json!({"f:spec": {"f:color": {}}}))]);
    equal("managers", &managers(&left)?, &owned)
}
