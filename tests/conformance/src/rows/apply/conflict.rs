//! Rows 66, 69 and 72: fields that two managers want.

use anyhow::Result;
use serde_json::{Value, json};

use super::{VERSION, apply, apply_with, managers, widget_entry};
use crate::{
    answer::Answer,
    expect::{at, equal},
    namespace::{config_map, widget, widget_with},
    world::World,
};

pub(crate) async fn between_managers(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("a");
    let spec = json!({"color": "red", "path": ["x"], "items": [{"name": "a", "value": "1"}]});
    let first = apply(world, &path, "m1", &widget_with("a", spec)).await?.is(201)?;

    let green = widget_with("a", json!({"color": "green"}));
    let message = "Apply failed with 1 conflict: conflict with \"m1\": .spec.color";
    conflicts(&apply(world, &path, "m2", &green).await?, message, "m1", &[".spec.color"])?;
    equal("stored", &world.read(&path).await?, &first)?;

    let all = json!({"color": "green", "path": ["y"], "items": [{"name": "a", "value": "2"}]});
    let message = "Apply failed with 3 conflicts: conflicts with \"m1\":\n- .spec.color\n- .spec.path\n\
                   - .spec.items[name=\"a\"].value";
    let fields = [".spec.color", ".spec.path", ".spec.items[name=\"a\"].value"];
    let reply = apply(world, &path, "m2", &widget_with("a", all)).await?;
    conflicts(&reply, message, "m1", &fields)?;

    let forced = apply_with(world, &path, "fieldManager=m2&force=true", &green).await?.is(200)?;
    at(&forced, "/spec/color", "green")?;
    let rest = json!({"f:spec": {"f:items": {"k:{\"name\":\"a\"}":
        {".": {}, "f:name": {}, "f:value": {}}}, "f:path": {}}});
    let owned = json!([
        widget_entry("m1", "Apply", rest),
        widget_entry("m2", "Apply", json!({"f:spec": {"f:color": {}}}))
    ]);
    equal("managers", &managers(&forced)?, &owned)?;
    shared_values(world, &namespace.widget("b")).await
}

/// Two managers that want the same value both have the field; the one that changed nothing has no time and comes first.
async fn shared_values(world: &World<'_>, path: &str) -> Result<()> {
    apply(world, path, "m1", &widget("b")).await?.is(201)?;
    let both = apply(world, path, "m2", &widget("b")).await?.is(200)?;
    let fields = json!({"f:spec": {"f:color": {}}});
    let owned =
        json!([widget_entry("m2", "Apply", fields.clone()), widget_entry("m1", "Apply", fields)]);
    equal("managers", &managers(&both)?, &owned)?;
    let blue = widget_with("b", json!({"color": "blue"}));
    let message = "Apply failed with 1 conflict: conflict with \"m2\": .spec.color";
    conflicts(&apply(world, path, "m1", &blue).await?, message, "m2", &[".spec.color"])
}

pub(crate) async fn after_update(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("a");
    let created = format!("{}?fieldManager=creator", namespace.widgets());
    world.create(&created, &widget("a")).await?;
    let green = widget_with("a", json!({"color": "green"}));
    let message = format!(
        "Apply failed with 1 conflict: conflict with \"creator\" using {VERSION}: .spec.color"
    );
    let reply = apply(world, &path, "m1", &green).await?;
    conflicts(&reply, &message, &format!("creator\" using {VERSION}"), &[".spec.color"])?;
    let forced = apply_with(world, &path, "fieldManager=m1&force=true", &green).await?.is(200)?;
    let owned = json!([
        widget_entry("m1", "Apply", json!({"f:spec": {"f:color": {}}})),
        widget_entry("creator", "Update", json!({"f:spec": {".": {}, "f:size": {}}}))
    ]);
    equal("managers", &managers(&forced)?, &owned)?;

    let patched = world
        .merge(&format!("{path}?fieldManager=editor"), &json!({"spec": {"color": "blue"}}))
        .await?
        .is(200)?;
    let owned = json!([
        widget_entry("creator", "Update", json!({"f:spec": {".": {}, "f:size": {}}})),
        widget_entry("editor", "Update", json!({"f:spec": {"f:color": {}}}))
    ]);
    equal("managers", &managers(&patched)?, &owned)
}

pub(crate) async fn reset(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("a");
    world.create(&namespace.widgets(), &widget("a")).await?;
    let cleared =
        world.merge(&path, &json!({"metadata": {"managedFields": [{}]}})).await?.is(200)?;
    at(&cleared, "/metadata/managedFields", Value::Null)?;
    let labelled =
        world.merge(&path, &json!({"metadata": {"labels": {"a": "1"}}})).await?.is(200)?;
    at(&labelled, "/metadata/managedFields", Value::Null)?;

    let green = widget_with("a", json!({"color": "green"}));
    let message = format!(
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using {VERSION}: .spec.color"
    );
    let owner = format!("before-first-apply\" using {VERSION}");
    conflicts(&apply(world, &path, "m1", &green).await?, &message, &owner, &[".spec.color"])?;
    let forced = apply_with(world, &path, "fieldManager=m1&force=true", &green).await?.is(200)?;
    let before = json!({"f:metadata": {"f:labels": {".": {}, "f:a": {}}}, "f:spec": {".": {}, "f:size": {}}});
    let owned = json!([
        widget_entry("m1", "Apply", json!({"f:spec": {"f:color": {}}})),
        widget_entry("before-first-apply", "Update", before)
    ]);
    equal("managers", &managers(&forced)?, &owned)?;
    sent_managers(world, &path).await?;
    reset_of_built_in(world, &namespace.core("configmaps")).await
}

/// Built-in kinds take an empty list for a reset.
async fn reset_of_built_in(world: &World<'_>, collection: &str) -> Result<()> {
    for (name, empty) in [("a", json!([])), ("b", json!([{}]))] {
        world.create(collection, &config_map(name, json!({"k": "v"}))).await?;
        let patch = json!({"metadata": {"managedFields": empty}});
        let reset = world.merge(&format!("{collection}/{name}"), &patch).await?.is(200)?;
        at(&reset, "/metadata/managedFields", Value::Null)?;
    }
    Ok(())
}

/// What a client sends as managers counts; nothing, or an empty list, keeps what is there.
async fn sent_managers(world: &World<'_>, path: &str) -> Result<()> {
    let before = world.read(path).await?;
    for kept in [json!([]), Value::Null] {
        let mut object = before.clone();
        object["metadata"]["managedFields"] = kept;
        equal("kept", &world.put(path, &object).await?.is(200)?, &before)?;
    }
    let mut only = before.clone();
    only["metadata"]["managedFields"] = json!([before["metadata"]["managedFields"][0]]);
    let changed = world.put(path, &only).await?.is(200)?;
    at(&changed, "/metadata/managedFields", only["metadata"]["managedFields"].clone())?;
    let patch =
        json!([{"op": "replace", "path": "/metadata/managedFields/0/manager", "value": "m9"}]);
    let renamed = world.patch("json", path, &patch).await?.is(200)?;
    at(&renamed, "/metadata/managedFields/0/manager", "m9")
}

/// A 409 for these fields of one manager.
fn conflicts(reply: &Answer, message: &str, manager: &str, fields: &[&str]) -> Result<()> {
    let status = reply.fails_saying(409, "Conflict", message)?;
    let quote = if manager.contains('"') { "" } else { "\"" };
    let causes: Vec<Value> = fields
        .iter()
        .map(|field| {
            json!({"reason": "FieldManagerConflict", "field": field,
                "message": format!("conflict with \"{manager}{quote}")})
        })
        .collect();
    at(&status, "/details", json!({"causes": causes}))
}
