//! Results of writing many objects at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One result per object, in the order in which they were worked on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ResourceResults {
    /// The results.
    pub results: Vec<ResourceResult>,
}

/// What became of one object: a manifest or an error, and which object it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceResult {
    /// It was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::openapi::object::any_object")]
    pub created_resource_manifest: Option<Value>,
    /// It was replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::openapi::object::any_object")]
    pub updated_resource_manifest: Option<Value>,
    /// What a dry run leaves in place of the updated one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::openapi::object::any_object")]
    pub stored_resource_manifest: Option<Value>,
    /// It was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::openapi::object::any_object")]
    pub deleted_resource_manifest: Option<Value>,
    /// Why nothing happened to it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Its place in the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Its kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Its namespace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Its name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
}
