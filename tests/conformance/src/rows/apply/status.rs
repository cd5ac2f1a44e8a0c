//! Row 70: apply to the status of an object.

use anyhow::Result;
use serde_json::{Value, json};

use super::{VERSION, apply, managers, widget_entry};
use crate::{
    expect::{at, equal},
    namespace::widget,
    world::World,
};

pub(crate) async fn subresource(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("a");
    let status = format!("{path}/status");
    let ready = json!({"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "a"},
        "status": {"phase": "Good", "conditions": [{"type": "Ready", "status": "True"}]}});
    let message = "widgets.conf.example.com \"a\" not found";
    apply(world, &status, "m1", &ready).await?.fails_saying(404, "NotFound", message)?;
    world.get(&path).await?.is(404)?;

    let mut both = widget("a");
    both["status"] = json!({"phase": "Early"});
    let created = apply(world, &path, "m1", &both).await?.is(201)?;
    at(&created, "/status", Value::Null)?;
    let main = widget_entry("m1", "Apply", json!({"f:spec": {"f:color": {}}}));
    equal("managers", &managers(&created)?, &json!([main]))?;

    let applied = apply(world, &status, "m1", &ready).await?.is(200)?;
    at(&applied, "/status", ready["status"].clone())?;
    let fields = json!({"f:status": {"f:phase": {}, "f:conditions":
        {"k:{\"type\":\"Ready\"}": {".": {}, "f:status": {}, "f:type": {}}}}});
    let mut below = widget_entry("m1", "Apply", fields);
    below["subresource"] = json!("status");
    equal("managers", &managers(&applied)?, &json!([main, below]))?;

    let again = apply(world, &path, "m1", &both).await?.is(200)?;
    at(&again, "/status", ready["status"].clone())?;
    equal("managers", &by_subresource(&again)?, &json!([main, below]))?;
    let patch = json!({"status": {"observed": 3}});
    let query = format!("{status}?fieldManager=controller");
    let patched = world.merge(&query, &patch).await?.is(200)?;
    let mut updated = widget_entry("controller", "Update", json!({"f:status": {"f:observed": {}}}));
    updated["subresource"] = json!("status");
    equal("managers", &by_subresource(&patched)?, &json!([main, below, updated]))
}

/// The managers, those of the object itself first: otherwise their order tells who wrote in which second.
fn by_subresource(object: &Value) -> Result<Value> {
    let mut managers = managers(object)?;
    if let Some(managers) = managers.as_array_mut() {
        managers.sort_by_key(|entry| {
            (entry["subresource"].is_string(), entry["operation"] == "Update")
        });
    }
    Ok(managers)
}
