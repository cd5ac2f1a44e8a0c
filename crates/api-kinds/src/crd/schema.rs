//! From derived JSON schemas to the structural schemas that the API server accepts.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::kind::Kind;

/// Attribute that declares a default the API server fills in. The derived `default`s only repeat
/// the zero values of the Rust types and are dropped.
const DEFAULT: &str = "x-kargo-default";

const API_VERSION: &str = "Group and version of the API that the object is written in.";
const KIND: &str = "What the object is.";

/// The structural schema of a kind.
pub(super) fn of<K: Kind>() -> Value {
    let mut root = structural::<K>();
    add_type_fields(&mut root);
    Value::Object(root)
}

/// The structural schema of what a kind holds.
pub(super) fn of_part<T: JsonSchema>() -> Value {
    Value::Object(structural::<T>())
}

fn structural<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    // A field is required exactly if it is always written.
    let mut root = settings.for_serialize().into_generator().into_root_schema_for::<T>();
    let root = root.ensure_object();
    clean(root);
    std::mem::take(root)
}

/// Adds what every object has. The API server refuses any statement about `metadata` beyond its
/// type, even a description, because it has its own.
fn add_type_fields(root: &mut Map<String, Value>) {
    if let Some(Value::Object(properties)) = root.get_mut("properties") {
        let text = |description| json!({ "type": "string", "description": description });
        properties.insert("apiVersion".to_owned(), text(API_VERSION));
        properties.insert("kind".to_owned(), text(KIND));
        properties.insert("metadata".to_owned(), json!({ "type": "object" }));
    }
}

/// Makes a schema and all schemas within it structural.
fn clean(schema: &mut Map<String, Value>) {
    for keyword in ["title", "default"] {
        schema.remove(keyword);
    }
    if let Some(default) = schema.remove(DEFAULT) {
        schema.insert("default".to_owned(), default);
    }
    drop_null(schema);
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = unwrap_lines(description);
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().filter_map(Value::as_object_mut).for_each(clean);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = schema.get_mut(keyword) {
            clean(inner);
        }
    }
}

/// Absent values are left out, never null, so `Option` must not make a field nullable.
fn drop_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

/// Joins the lines of each paragraph: where the source wraps means nothing to the reader.
fn unwrap_lines(text: &str) -> String {
    text.split("\n\n")
        .map(|paragraph| paragraph.replace('\n', " "))
        .collect::<Vec<_>>()
        .join("\n\n")
}
