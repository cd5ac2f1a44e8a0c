//! Projects and what is seen across their Stages.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A page of Projects. Not a Kubernetes list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Projects {
    /// The Projects of this page.
    #[schemars(schema_with = "crate::openapi::object::projects")]
    pub items: Vec<Value>,
    /// How many there are on all pages.
    pub total: usize,
}

/// Images in use, by the URL of their repository.
pub type Images = BTreeMap<String, ImageTags>;

/// Tags of an image in use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ImageTags {
    /// By tag.
    pub tags: BTreeMap<String, ImageStages>,
}

/// Stages that use or used a tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ImageStages {
    /// How many Freight collections ago, by Stage; 0 is now.
    pub stages: BTreeMap<String, usize>,
}
