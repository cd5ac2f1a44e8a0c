//! CEL rules and what a changed schema means for stored objects (rows 80 to 83).

use anyhow::Result;
use serde_json::json;

use crate::{
    cases::Cases,
    expect::{at, equal},
    namespace::widget_with,
    own_kind::OwnKind,
    patience::soon,
    rows::library,
    world::World,
};

pub(crate) async fn messages(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = format!("{}?dryRun=All", namespace.widgets());
    let mut cases = Cases::default();
    for (name, spec, cause) in [
        (
            "message",
            json!({"color": "red", "min": 5, "max": 1}),
            ("spec", "FieldValueInvalid", "Invalid value: min must be at most max"),
        ),
        (
            "no message",
            json!({"color": "red", "silent": 11}),
            ("spec.silent", "FieldValueInvalid", "Invalid value: 11: failed rule: self < 10"),
        ),
        (
            "messageExpression",
            json!({"color": "red", "spoken": "bad"}),
            ("spec.spoken", "FieldValueInvalid", "Invalid value: \"bad\": got bad"),
        ),
        (
            "reason",
            json!({"color": "red", "barred": "bad"}),
            ("spec.barred", "FieldValueForbidden", "Forbidden: is barred"),
        ),
        (
            "fieldPath",
            json!({"color": "red", "pair": {"left": "y"}}),
            ("spec.pair.left", "FieldValueInvalid", "Invalid value: left must start with x"),
        ),
        (
            "runtime error",
            json!({"color": "red", "pair": {"right": "y"}}),
            (
                "spec.pair",
                "FieldValueInvalid",
                "Invalid value: \"object\": no such key: left evaluating rule: left must start with x",
            ),
        ),
    ] {
        cases.note(name, world.post(&path, &widget_with("a", spec)).await?.invalid(&[cause]));
    }
    let fine = json!({"color": "red", "min": 1, "max": 1, "silent": 9, "spoken": "good", "barred": "good",
        "pair": {"left": "xy"}});
    cases.note("all kept", world.post(&path, &widget_with("a", fine)).await?.is(201));
    cases.note("libraries", library::kept(world).await);
    cases.finish()
}

pub(crate) async fn transitions(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    world
        .create(&namespace.widgets(), &widget_with("a", json!({"color": "red", "fixed": "one"})))
        .await?;
    let path = namespace.widget("a");
    let set = async |value: serde_json::Value| {
        world.merge(&path, &json!({"spec": {"fixed": value}})).await
    };
    set(json!("two")).await?.invalid(&[(
        "spec.fixed",
        "FieldValueInvalid",
        "Invalid value: \"two\": fixed is immutable",
    )])?;
    set(json!("one")).await?.is(200)?;
    set(json!(null)).await?.is(200)?;
    at(&set(json!("two")).await?.is(200)?, "/spec/fixed", "two")
}

pub(crate) async fn ratcheting(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let kind = OwnKind::new(world);
    let fields = |length, limit| {
        json!({"note": {"type": "string", "maxLength": length},
            "level": {"type": "integer", "x-kubernetes-validations": [{"rule": format!("self < {limit}")}]}})
    };
    let mut definition = kind.definition(fields(10, 10));
    definition["spec"]["versions"][0]["subresources"] = json!({"status": {}});
    kind.install(world, &definition).await?;
    let things = kind.things(&namespace);
    let old = kind.thing("old", json!({"note": "too long", "level": 7}));
    world.create(&things, &old).await?;
    kind.change(world, fields(3, 5)).await?;
    let fresh = kind.thing("fresh", json!({"level": 7}));
    soon(|| async { world.post(&format!("{things}?dryRun=All"), &fresh).await?.is(422) }).await?;

    let path = format!("{things}/old");
    let label = json!({"metadata": {"labels": {"a": "b"}}});
    at(&world.merge(&path, &label).await?.is(200)?, "/spec/note", "too long")?;
    let status = format!("{path}/status");
    world.merge(&status, &json!({"status": {}})).await?.is(200)?;
    let longer = world.merge(&path, &json!({"spec": {"note": "longer"}})).await?;
    let status = longer.fails(422, "Invalid")?;
    at(&status, "/details/causes/0/field", "spec.note")?;
    at(&status, "/details/causes/0/message", "Too long: may not be more than 3 bytes")?;
    world.merge(&path, &json!({"spec": {"level": 8}})).await?.invalid(&[(
        "spec.level",
        "FieldValueInvalid",
        "Invalid value: 8: failed rule: self < 5",
    )])?;
    world.merge(&path, &json!({"spec": {"note": "ok"}})).await?.is(200)?;
    kind.remove(world).await
}

pub(crate) async fn reads_after_schema_change(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let kind = OwnKind::new(world);
    let text = json!({"type": "string"});
    kind.install(world, &kind.definition(json!({"kept": text, "dropped": text}))).await?;
    let things = kind.things(&namespace);
    let stored =
        world.create(&things, &kind.thing("a", json!({"kept": "x", "dropped": "y"}))).await?;
    kind.change(world, json!({"kept": text, "added": {"type": "string", "default": "z"}})).await?;

    let path = format!("{things}/a");
    let want = json!({"kept": "x", "added": "z"});
    let read = soon(|| async {
        let read = world.read(&path).await?;
        equal("spec", &read["spec"], &want).map(|()| read)
    })
    .await?;
    equal(
        "metadata",
        &read["metadata"]["resourceVersion"],
        &stored["metadata"]["resourceVersion"],
    )?;
    at(&read, "/metadata/generation", 1)?;
    let list = world.read(&things).await?;
    at(&list, "/items/0/spec", want.clone())?;
    // kube-apiserver may end a watch that began while the handler of the old schema still went down.
    soon(|| async {
        let event = world.watch(&things, "").await?.expect("ADDED", "a").await?;
        at(&event.object, "/spec", want.clone())
    })
    .await?;
    kind.remove(world).await
}
