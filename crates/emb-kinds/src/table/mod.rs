//! Tables: the form in which `kubectl get` asks for objects. The server chooses the columns and words the cells.

mod age;
mod cells;
mod json_path;
mod json_path_parser;
mod part;

#[cfg(test)]
mod tests;

use core_clock::Time;
use serde_json::{Value, json};

pub use age::{age, age_of};
pub use cells::cells;
pub use json_path::{JsonPath, JsonPathError};
pub use part::Part;

use crate::resource::{Column, Resource};

/// Which part of each object comes along with its cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncludeObject {
    /// Nothing.
    None,
    /// Its metadata.
    #[default]
    Metadata,
    /// All of it.
    Object,
}

impl IncludeObject {
    /// Reads the query parameter `includeObject`; empty is the default, an unknown word is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "" | "Metadata" => Some(Self::Metadata),
            "None" => Some(Self::None),
            "Object" => Some(Self::Object),
            _ => None,
        }
    }
}

/// The definitions of the columns of `resource`.
pub fn columns(resource: &Resource) -> Value {
    resource.columns.iter().map(column).collect()
}

fn column(column: &Column) -> Value {
    json!({
        "name": column.name, "type": column.kind, "format": column.format,
        "description": column.description, "priority": column.priority,
    })
}

/// One row. `api_version` is the version of the table: `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`.
pub fn row(
    resource: &Resource,
    object: &Value,
    now: Time,
    include: IncludeObject,
    api_version: &str,
) -> Value {
    let included = match include {
        IncludeObject::None => Value::Null,
        IncludeObject::Metadata => partial_metadata(object, api_version),
        IncludeObject::Object => object.clone(),
    };
    json!({"cells": cells(resource, object, now), "object": included})
}

/// An object reduced to its metadata.
pub fn partial_metadata(object: &Value, api_version: &str) -> Value {
    let metadata = object.get("metadata").cloned().unwrap_or_else(|| json!({}));
    json!({"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": metadata})
}

/// A table of `rows`. A list has its own `metadata`; a single object passes its resource version. Later events of a
/// watch pass `Value::Null` for the columns, which clients keep from the first.
pub fn table(columns: Value, rows: Vec<Value>, metadata: Value, api_version: &str) -> Value {
    json!({
        "kind": "Table", "apiVersion": api_version, "metadata": metadata,
        "columnDefinitions": columns, "rows": rows,
    })
}
