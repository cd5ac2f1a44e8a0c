//! Project: a namespace for one delivery pipeline.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    condition::Condition,
    kind::{Column, kind},
    omit::is_zero,
};

/// A delivery pipeline with a namespace of the same name. Its settings are in a ProjectConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct Project {
    /// Standard object metadata.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// State of the Project.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: ProjectStatus,
}

kind!(Project, Cluster, {
    plural: "projects",
    short_names: [],
    status: true,
    columns: [Column::READY, Column::STATUS, Column::AGE],
});

/// State of a Project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProjectStatus {
    /// Observed aspects of the object's state.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend(
        "x-kubernetes-list-type" = "map",
        "x-kubernetes-list-map-keys" = ["type"],
    ))]
    pub conditions: Vec<Condition>,
    /// Numbers about what the Project contains.
    #[serde(skip_serializing_if = "is_zero")]
    pub stats: Option<ProjectStats>,
}

/// Numbers about what a Project contains.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProjectStats {
    /// Numbers about Stages.
    #[serde(skip_serializing_if = "is_zero")]
    pub stages: StageStats,
    /// Numbers about Warehouses.
    #[serde(skip_serializing_if = "is_zero")]
    pub warehouses: WarehouseStats,
}

/// Numbers about the Stages of a Project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StageStats {
    /// How many there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub count: i64,
    /// How they are.
    #[serde(skip_serializing_if = "is_zero")]
    pub health: HealthStats,
}

/// Numbers about the Warehouses of a Project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WarehouseStats {
    /// How many there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub count: i64,
    /// How they are.
    #[serde(skip_serializing_if = "is_zero")]
    pub health: HealthStats,
}

/// Numbers about health.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HealthStats {
    /// How many are healthy.
    #[serde(skip_serializing_if = "is_zero")]
    pub healthy: i64,
}
