//! The cells of one row.

use core_clock::Time;
use emb_meta::ObjectExt;
use serde_json::{Value, json};

use super::age::age_of;
use crate::{
    builtin::{BuiltInKind, event_view},
    resource::{Column, Origin, Resource},
};

/// The cells of `object`, one for each column of its resource. A [`Part`](super::Part) of the object is enough.
pub fn cells(resource: &Resource, object: &Value, now: Time) -> Vec<Value> {
    match resource.origin {
        Origin::Custom { .. } => {
            resource.columns.iter().map(|column| custom_cell(column, object, now)).collect()
        }
        Origin::BuiltIn(BuiltInKind::Event) => event_cells(object, now),
        Origin::BuiltIn(BuiltInKind::EventsEvent) => {
            event_cells(&event_view::to_core(object.clone()), now)
        }
        Origin::BuiltIn(kind) => resource
            .columns
            .iter()
            .map(|column| built_in_cell(kind, &column.name, object, now))
            .collect(),
    }
}

fn custom_cell(column: &Column, object: &Value, now: Time) -> Value {
    let Some(path) = &column.path else { return json!(object.name()) };
    let Some(value) = path.first(object) else { return Value::Null };
    match (column.kind.as_str(), value) {
        ("string", Value::String(text)) => json!(text),
        ("string", Value::Null) => json!("<no value>"),
        ("string", other) => json!(other.to_string()),
        ("integer", Value::Number(number)) => whole(number),
        ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) => value.clone(),
        ("date", Value::String(text)) => json!(age_of(text, now)),
        _ => Value::Null,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "an integer column shows the whole part")]
fn whole(number: &serde_json::Number) -> Value {
    match (number.as_i64(), number.as_f64()) {
        (Some(integer), _) => json!(integer),
        (None, Some(float)) => json!(float as i64),
        (None, None) => Value::Null,
    }
}

fn built_in_cell(kind: BuiltInKind, column: &str, object: &Value, now: Time) -> Value {
    let created = object.text(&["metadata", "creationTimestamp"]);
    let count = |member: &str| match object.get(member) {
        Some(Value::Object(entries)) => entries.len(),
        Some(Value::Array(items)) => items.len(),
        _ => 0,
    };
    match column {
        "Name" => json!(object.name()),
        "Age" => json!(age_of(created, now)),
        "Created At" => json!(created),
        "Data" => json!(count("data") + count("binaryData")),
        "Webhooks" => json!(count("webhooks")),
        "Type" => json!(object.text(&["type"])),
        "Status" => json!(object.text(&["status", "phase"])),
        "Holder" => json!(object.text(&["spec", "holderIdentity"])),
        "Role" => json!(format!(
            "{}/{}",
            object.text(&["roleRef", "kind"]),
            object.text(&["roleRef", "name"])
        )),
        "Users" => json!(subjects(object, "User")),
        "Groups" => json!(subjects(object, "Group")),
        "ServiceAccounts" => json!(subjects(object, "ServiceAccount")),
        "Service" if kind == BuiltInKind::ApiService => json!("Local"),
        "Available" => json!(available(object)),
        _ => Value::Null,
    }
}

fn subjects(binding: &Value, kind: &str) -> String {
    let subjects = binding.get("subjects").and_then(Value::as_array);
    let names: Vec<String> = subjects
        .into_iter()
        .flatten()
        .filter(|subject| subject.text(&["kind"]) == kind)
        .map(|subject| match kind {
            "ServiceAccount" => {
                format!("{}/{}", subject.text(&["namespace"]), subject.text(&["name"]))
            }
            _ => subject.text(&["name"]).to_owned(),
        })
        .collect();
    names.join(", ")
}

fn available(service: &Value) -> &str {
    let conditions = service.pointer("/status/conditions").and_then(Value::as_array);
    conditions
        .into_iter()
        .flatten()
        .find(|condition| condition.text(&["type"]) == "Available")
        .map_or("Unknown", |condition| condition.text(&["status"]))
}

fn event_cells(event: &Value, now: Time) -> Vec<Value> {
    let event_time = event.text(&["eventTime"]);
    let first = first_given([event.text(&["firstTimestamp"]), event_time]);
    let series = event.get("series").filter(|series| series.is_object());
    let last = match series {
        Some(series) => series.text(&["lastObservedTime"]),
        None => first_given([event.text(&["lastTimestamp"]), first]),
    };
    let count = series.unwrap_or(event).get("count").and_then(Value::as_i64).unwrap_or_default();
    let count = if series.is_none() { count.max(1) } else { count };
    let kind = event.text(&["involvedObject", "kind"]).to_lowercase();
    let target = match event.text(&["involvedObject", "name"]) {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    vec![
        json!(age_of(last, now)),
        json!(event.text(&["type"])),
        json!(event.text(&["reason"])),
        json!(target),
        json!(event.text(&["involvedObject", "fieldPath"])),
        json!(event_source(event)),
        json!(event.text(&["message"]).trim()),
        json!(age_of(first, now)),
        json!(count),
        json!(event.name()),
    ]
}

fn event_source(event: &Value) -> String {
    let component =
        first_given([event.text(&["source", "component"]), event.text(&["reportingComponent"])]);
    let instance =
        first_given([event.text(&["source", "host"]), event.text(&["reportingInstance"])]);
    if instance.is_empty() { component.to_owned() } else { format!("{component}, {instance}") }
}

fn first_given(texts: [&str; 2]) -> &str {
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}
