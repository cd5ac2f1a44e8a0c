//! All Projects at a glance.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The Projects whose Stages, Promotions and Warehouses the caller may see, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OverviewResponse {
    /// One for each Project.
    pub items: Vec<ProjectOverview>,
}

/// A Project at a glance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProjectOverview {
    /// The name of the Project.
    pub project: String,
    /// Its Stages.
    pub stages: StageCounts,
    /// Promotions that have not ended, by phase.
    pub promotions: BTreeMap<String, usize>,
    /// Its Warehouses.
    pub warehouses: WarehouseCounts,
    /// When a Promotion ended last, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_promotion_at: Option<String>,
}

/// Stages in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StageCounts {
    /// How many there are.
    pub total: usize,
    /// Those that hold Freight and deploy it, by health.
    pub health: BTreeMap<String, usize>,
    /// Those whose last Promotion did not succeed.
    pub failed: Vec<String>,
}

/// Warehouses in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WarehouseCounts {
    /// How many there are.
    pub total: usize,
    /// Those that are not ready.
    pub unready: Vec<String>,
}
