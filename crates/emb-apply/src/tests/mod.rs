//! Ownership through the life of an object.

mod apply;
mod kinds;
mod lists;
mod properties;
mod update;

use core_clock::Time;
use serde_json::{Value, json};

use crate::{ApplyError, ObjectType, Writer};

/// A kind with every type of list and map.
pub(crate) fn widget() -> ObjectType {
    let text = json!({"type": "string"});
    ObjectType::of_custom(&json!({
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {
                "color": text, "count": {"type": "integer"},
                "tags": {"type": "array", "items": text, "x-kubernetes-list-type": "set"},
                "items": {
                    "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                    "items": {"type": "object", "properties": {"name": text, "value": text}},
                },
                "ports": {
                    "type": "array", "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["protocol", "port"],
                    "items": {"type": "object", "properties": {
                        "port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"},
                        "target": text,
                    }},
                },
                "atom": {"type": "array", "items": text},
                "atomMap": {
                    "type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": text,
                },
                "sub": {"type": "object", "properties": {"x": text, "y": text}},
                "labels": {"type": "object", "additionalProperties": text},
                "free": {"x-kubernetes-preserve-unknown-fields": true},
            }},
            "status": {"type": "object", "properties": {"phase": text}},
        },
    }))
}

pub(crate) fn object(spec: Value) -> Value {
    json!({
        "apiVersion": "g/v1", "kind": "Widget",
        "metadata": {"name": "a", "namespace": "n"}, "spec": spec,
    })
}

pub(crate) fn writer(manager: &str, seconds: i64) -> Writer<'_> {
    Writer {
        manager,
        api_version: "g/v1",
        subresource: "",
        time: Time::from_seconds(seconds),
        ignored: &["status"],
    }
}

/// An object by an update of `m0` at second 0.
pub(crate) fn created(spec: Value) -> Value {
    let mut new = object(spec);
    widget().create(&mut new, &writer("m0", 0));
    new
}

pub(crate) fn applied(
    live: Option<&Value>,
    manager: &str,
    seconds: i64,
    spec: Value,
) -> Result<Value, ApplyError> {
    widget().apply(live, &object(spec), &writer(manager, seconds), false)
}

/// Applies without conflicts.
pub(crate) fn apply(live: Option<&Value>, manager: &str, seconds: i64, spec: Value) -> Value {
    applied(live, manager, seconds, spec).unwrap()
}

/// Who owns what of the spec: manager, operation and fields, in order.
pub(crate) fn owners(object: &Value) -> Vec<(String, Value)> {
    let entries = object["metadata"]["managedFields"].as_array();
    entries
        .into_iter()
        .flatten()
        .map(|entry| {
            let text = |name: &str| entry[name].as_str().unwrap().to_owned();
            let initial = &text("operation")[..1];
            (format!("{} {initial}", text("manager")), entry["fieldsV1"]["f:spec"].clone())
        })
        .collect()
}

/// The second in which the entry of a manager was last changed.
pub(crate) fn second(object: &Value, manager: &str) -> i64 {
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["manager"] == manager).unwrap();
    entry["time"].as_str().unwrap().parse::<Time>().unwrap().as_seconds()
}

pub(crate) fn owner(name: &str, fields: Value) -> (String, Value) {
    (name.to_owned(), fields)
}
