//! Schemas of the fields that hold arbitrary JSON.
//!
//! The API server must neither prune nor check them, so they have no `type` and keep unknown
//! fields. In Rust they are `serde_json::Value`.

use schemars::{Schema, SchemaGenerator, json_schema};

/// Schema of one arbitrary JSON value.
pub(crate) fn any(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
}

/// Schema of a map from text to arbitrary JSON.
pub(crate) fn map(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": any(generator) })
}

/// Schema of a list of arbitrary JSON.
pub(crate) fn list(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": any(generator) })
}
