//! Promoting.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What to promote to a Stage: exactly one of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromoteToStage {
    /// The name of Freight.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub freight: String,
    /// The alias of Freight.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub freight_alias: String,
    /// `Warehouse/<name>`: whatever auto-promotion would take from there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub origin: String,
}

/// What to promote to the Stages behind a Stage: exactly one of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromoteDownstream {
    /// The name of Freight.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub freight: String,
    /// The alias of Freight.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub freight_alias: String,
}

/// What was created, and what could not be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DownstreamPromotions {
    /// Promotions, one per Stage.
    #[schemars(schema_with = "crate::openapi::object::promotions")]
    pub promotions: Vec<Value>,
    /// PromotionRequests, one per Stage that selects Targets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "crate::openapi::object::promotion_requests")]
    pub promotion_requests: Vec<Value>,
    /// What went wrong, one line each.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub errors: String,
}
