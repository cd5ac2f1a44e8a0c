//! ConfigMaps as they are sent.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A ConfigMap to make.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CreateConfigMap {
    /// What it is called.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether every Project gets a copy.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replicate: bool,
    /// The values by key.
    pub data: BTreeMap<String, String>,
}

/// A ConfigMap to put in place of another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UpdateConfigMap {
    /// What it is for; nothing when empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether every Project gets a copy.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replicate: bool,
    /// The values by key.
    pub data: BTreeMap<String, String>,
}

/// What to change of a ConfigMap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PatchConfigMap {
    /// What it is for; an empty text takes it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Values to set.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, String>,
    /// Keys to take away before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove_keys: Vec<String>,
}
