//! Rows 34–36: labels, annotations, finalizers and owner references of new objects.

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    answer::RULES_UNCHECKED,
    expect::{at, equal},
    namespace::{config_map, widget},
    world::World,
};

pub(crate) async fn labels_and_annotations(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let name_rule = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                     alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    let value_rule = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
                      must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', \
                      regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    for (metadata, field, message) in [
        (
            json!({"labels": {"-a": "x"}}),
            "metadata.labels",
            format!("Invalid value: \"-a\": {name_rule}"),
        ),
        (
            json!({"labels": {"a": "x y"}}),
            "metadata.labels",
            format!("Invalid value: \"x y\": {value_rule}"),
        ),
        (
            json!({"annotations": {"a b": "x"}}),
            "metadata.annotations",
            format!("Invalid value: \"a b\": {name_rule}"),
        ),
    ] {
        for (path, mut object) in [
            (namespace.widgets(), widget("a")),
            (namespace.core("configmaps"), config_map("a", json!({}))),
        ] {
            merge(&mut object["metadata"], &metadata);
            world.post(&path, &object).await?.invalid(&[(field, "FieldValueInvalid", &message)])?;
        }
    }
    let mut object = widget("a");
    object["metadata"]["annotations"] = json!({"a": "x".repeat(262_144)});
    let message = "Too long: may not be more than 262144 bytes";
    let reply = world.post(&namespace.widgets(), &object).await?;
    reply.invalid(&[("metadata.annotations", "FieldValueTooLong", message), RULES_UNCHECKED])?;
    object["metadata"]["annotations"] = json!({"a": "x".repeat(262_143)});
    world.create(&namespace.widgets(), &object).await?;
    let mut number = widget("b");
    number["metadata"]["labels"] = json!({"a": 1});
    world.post(&namespace.widgets(), &number).await?.fails(400, "BadRequest").map(drop)
}

pub(crate) async fn finalizer_without_domain(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let mut object = widget("a");
    object["metadata"]["finalizers"] = json!(["plain"]);
    let reply = world.post(&namespace.widgets(), &object).await?;
    at(&reply.is(201)?, "/metadata/finalizers", json!(["plain"]))?;
    let warning = "metadata.finalizers: \"plain\": prefer a domain-qualified finalizer name to avoid accidental conflicts \
                   with other finalizer writers";
    equal("warnings", &reply.warnings(), &vec![warning.to_owned()])?;
    object["metadata"]["name"] = json!("b");
    object["metadata"]["finalizers"] = json!(["conf.example.com/qualified"]);
    let reply = world.post(&namespace.widgets(), &object).await?;
    reply.is(201)?;
    equal("warnings", &reply.warnings(), &Vec::new())?;
    for name in ["a", "b"] {
        world
            .merge(&namespace.widget(name), &json!({"metadata": {"finalizers": null}}))
            .await?
            .is(200)?;
    }
    Ok(())
}

pub(crate) async fn owner_references(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let owner = |name: &str, uid: &str, controller: bool| {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name,
        "uid": uid, "controller": controller})
    };
    let mut object = widget("a");
    object["metadata"]["ownerReferences"] = json!([owner("o", "", false)]);
    let reply = world.post(&namespace.widgets(), &object).await?;
    reply.fails_with(422, "Invalid", "metadata.ownerReferences.uid")?;
    object["metadata"]["ownerReferences"] =
        json!([owner("o1", "u1", true), owner("o2", "u2", true)]);
    let reply = world.post(&namespace.widgets(), &object).await?;
    let message = "Only one reference can have Controller set to true. Found \"true\" in references for ConfigMap/o1 and \
                   ConfigMap/o2";
    reply.fails_with(422, "Invalid", message)?;
    object["metadata"]["ownerReferences"] = json!([{"kind": "ConfigMap", "uid": "u"}]);
    let status = world.post(&namespace.widgets(), &object).await?.fails(422, "Invalid")?;
    let fields: Vec<&str> = status["details"]["causes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|cause| cause["field"].as_str())
        .collect();
    equal(
        "fields",
        &fields,
        &vec!["metadata.ownerReferences.apiVersion", "metadata.ownerReferences.name"],
    )
}

fn merge(target: &mut Value, more: &Value) {
    if let (Some(target), Some(more)) = (target.as_object_mut(), more.as_object()) {
        target.extend(more.clone());
    }
}
