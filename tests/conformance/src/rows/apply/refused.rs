//! Rows 65, 71 and 73: what apply refuses, and what is refused because it is no apply.

use anyhow::Result;
use http::Method;
use serde_json::{Value, json};

use super::{VERSION, apply, apply_with};
use crate::{
    cases::Cases,
    difference::Difference,
    expect::{at, equal},
    namespace::{config_map, widget, widget_with},
    world::World,
};

pub(crate) async fn without_manager(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("a");
    let reply = apply_with(world, &path, "force=true", &widget("a")).await?;
    let required =
        ("fieldManager", "FieldValueRequired", "Required value: is required for apply patch");
    let status = reply.invalid(&[required])?;
    at(
        &status,
        "/message",
        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch",
    )?;
    let long = "m".repeat(129);
    apply(world, &path, &long, &widget("a")).await?.fails(422, "Invalid")?;
    apply(world, &path, &"m".repeat(128), &widget("a")).await?.is(201)?;
    for kind in ["apply-patch+json", "apply-patch+cbor"] {
        let content_type = format!("application/{kind}");
        let headers = [("content-type", content_type.as_str())];
        let query = format!("{path}?fieldManager=m1");
        let reply = world.send(Method::PATCH, &query, &headers, widget("a").to_string()).await?;
        reply.fails(415, "UnsupportedMediaType")?;
    }
    Ok(())
}

pub(crate) async fn bad_bodies(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.widget("a");
    let created = apply(world, &path, "m1", &widget("a")).await?.is(201)?;
    let mut cases = Cases::default();
    for (case, object, message) in bad_objects(&created) {
        let reply = apply(world, &path, "m1", &object).await?;
        cases.note(case, reply.fails_with(400, "BadRequest", &message));
    }
    let mut stale = widget("a");
    stale["metadata"]["resourceVersion"] = json!("1");
    let message = "Operation cannot be fulfilled on widgets.conf.example.com \"a\": the object has been modified; please \
                   apply your changes to the latest version and try again";
    let reply = apply(world, &path, "m1", &stale).await?;
    cases.note("stale version", reply.fails_saying(409, "Conflict", message));
    for (case, spec, problem) in [
        (
            "unknown field",
            json!({"color": "red", "bogus": 1}),
            ".spec.bogus: field not declared in schema",
        ),
        (
            "wrong type",
            json!({"color": 5}),
            ".spec.color: expected string, got &value.valueUnstructured{Value:5}",
        ),
        (
            "duplicate keys",
            json!({"color": "red", "items": [{"name": "a"}, {"name": "a"}]}),
            ".spec.items: duplicate entries for key [name=\"a\"]",
        ),
        (
            "missing keys",
            json!({"color": "red", "items": [{"value": "a"}]}),
            ".spec.items: element 0: associative list with keys has an element that omits all key fields [\"name\"] (and \
             doesn't have default values for any key fields)",
        ),
    ] {
        let reply = apply(world, &path, "m1", &widget_with("a", spec)).await?;
        let typed =
            format!("failed to create typed patch object (/a; {VERSION}, Kind=Widget): {problem}");
        let code = world.differs(Difference::ServerErrorForClientMistake, 400, 500);
        cases.note(case, equal("code", &reply.status.as_u16(), &code));
        cases.note(case, at(&reply.json(), "/message", typed));
    }
    equal("stored", &world.read(&path).await?, &created)?;
    cases.note("missing", missing(world, &namespace.widget("b")).await);
    cases.finish()
}

fn bad_objects(created: &Value) -> Vec<(&'static str, Value, String)> {
    let mut managed = widget("a");
    managed["metadata"]["managedFields"] = created["metadata"]["managedFields"].clone();
    let mut none = widget("a");
    none["metadata"]["managedFields"] = json!([]);
    let untyped = json!({"kind": "Widget", "metadata": {"name": "a"}});
    let other = config_map("a", json!({}));
    let nil = "metadata.managedFields must be nil";
    vec![
        ("managers", managed, nil.into()),
        ("no managers", none, nil.into()),
        ("no version", untyped, "invalid object type: /, Kind=Widget".into()),
        ("other kind", other, "invalid object type: /v1, Kind=ConfigMap".into()),
        (
            "other name",
            widget("zz"),
            "the name of the object (zz) does not match the name on the URL (a)".into(),
        ),
        ("no object", json!([]), "error decoding YAML: ".into()),
    ]
}

/// What only matters where the object does not exist.
async fn missing(world: &World<'_>, path: &str) -> Result<()> {
    let mut nameless = widget("b");
    nameless["metadata"] = json!({"generateName": "b"});
    let message =
        "the name of the object (b based on URL) was undeterminable: name must be provided";
    apply(world, path, "m1", &nameless).await?.fails_saying(400, "BadRequest", message)?;
    let mut known = widget("b");
    known["metadata"]["uid"] = json!("6b4b9bd4-6b0a-4f3e-9f0a-0e8a3f0f7b1d");
    apply(world, path, "m1", &known).await?.fails(409, "Conflict")?;
    let mut versioned = widget("b");
    versioned["metadata"]["resourceVersion"] = json!("1");
    apply(world, path, "m1", &versioned).await?.is(201).map(drop)
}

pub(crate) async fn force_elsewhere(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world.create(&namespace.widgets(), &widget("a")).await?;
    for force in ["true", "false"] {
        let path = format!("{}?force={force}", namespace.widget("a"));
        let forbidden =
            ("force", "FieldValueForbidden", "Forbidden: may not be specified for non-apply patch");
        world.merge(&path, &json!({})).await?.invalid(&[forbidden])?;
        world.patch("json", &path, &json!([])).await?.invalid(&[forbidden])?;
    }
    Ok(())
}
