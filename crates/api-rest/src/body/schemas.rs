//! What objects and configurations look like, for editors and forms.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// JSON schemas by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SchemasResponse {
    /// Of our kinds.
    pub kinds: BTreeMap<String, Value>,
    /// Of the configurations of promotion steps.
    pub steps: BTreeMap<String, Value>,
    /// Of the settings of subscriptions, by their type.
    pub subscriptions: BTreeMap<String, Value>,
}
