//! The answer to a query for Freight.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Freight by group; without grouping there is one group, whose key is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FreightGroups {
    /// By key.
    pub groups: BTreeMap<String, FreightGroup>,
    /// How to ask for the next portion, where a limit was given.
    #[serde(rename = "continue", skip_serializing_if = "String::is_empty")]
    pub more: String,
    /// How much comes after this portion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_item_count: Option<usize>,
    /// Where a watch goes on; absent when only Freight available to a Stage was asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
}

/// A group of Freight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FreightGroup {
    /// The Freight, in the order that was asked for.
    #[schemars(schema_with = "crate::openapi::object::freight")]
    pub items: Vec<Value>,
}
