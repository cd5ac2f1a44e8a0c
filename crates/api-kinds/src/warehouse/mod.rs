//! Warehouse: watches repositories and makes Freight of what appears there.

mod discovery;
mod subscription;
#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    condition::Condition,
    duration::Duration,
    json,
    kind::{Column, kind},
    omit::is_zero,
    pattern,
    string_enum::string_enum,
};

pub use discovery::{
    ChartDiscoveryResult, DiscoveredArtifacts, DiscoveredCommit, DiscoveredImageReference,
    DiscoveredRef, DiscoveryResult, GitDiscoveryRefs, GitDiscoveryResult, ImageDiscoveryResult,
};
pub use subscription::{
    ChartSubscription, CommitSelectionStrategy, GitSubscription, ImageSelectionStrategy,
    ImageSubscription, RepoSubscription, Source, Subscription,
};

/// A source of Freight: watches repositories and makes Freight of what appears there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct Warehouse {
    /// Standard object metadata.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// What is watched, and when it becomes Freight.
    pub spec: WarehouseSpec,
    /// What was found.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: WarehouseStatus,
}

kind!(Warehouse, Namespaced, {
    plural: "warehouses",
    short_names: [],
    status: true,
    columns: [Column::text("Shard", ".spec.shard"), Column::AGE],
});

/// What a Warehouse watches, and when that becomes Freight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WarehouseSpec {
    /// What new artifact versions must meet to become Freight. Absent means anything does. Has no
    /// effect when Freight is created by hand.
    #[serde(skip_serializing_if = "is_zero")]
    pub freight_creation_criteria: Option<FreightCreationCriteria>,
    /// Whether Freight is made as soon as new artifact versions appear (Automatic, the default) or
    /// only by hand (Manual).
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("x-kargo-default" = "Automatic"))]
    pub freight_creation_policy: FreightCreationPolicy,
    /// How often to look for new artifact versions, for example `10m`. Defaults to five minutes;
    /// the installation may set a minimum.
    #[schemars(regex(pattern = pattern::DURATION), extend("x-kargo-default" = "5m0s"))]
    pub interval: Duration,
    /// Name of the shard whose controller takes care of the Warehouse. Empty means the default
    /// controller.
    #[serde(skip_serializing_if = "is_zero")]
    pub shard: String,
    /// The repositories to watch. Each entry has one field that names its type (git, image, chart,
    /// or another) and holds its settings, and may have a name beside it.
    #[serde(deserialize_with = "subscription::deserialize_list")]
    #[schemars(schema_with = "json::list", length(min = 1))]
    pub subscriptions: Vec<RepoSubscription>,
}

/// What new artifact versions must meet to become Freight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FreightCreationCriteria {
    /// Expression over the candidate versions that yields true or false, for example that two
    /// images have the same tag.
    #[serde(skip_serializing_if = "is_zero")]
    pub expression: String,
}

string_enum! {
    /// When artifact versions become Freight; unset means Automatic.
    listed FreightCreationPolicy {
        /// As soon as they appear.
        Automatic = "Automatic",
        /// When somebody asks for it.
        Manual = "Manual",
    }
}

/// What a Warehouse found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WarehouseStatus {
    /// Observed aspects of the object's state.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend(
        "x-kubernetes-list-type" = "map",
        "x-kubernetes-list-map-keys" = ["type"],
    ))]
    pub conditions: Vec<Condition>,
    /// The artifact versions found last.
    #[serde(skip_serializing_if = "is_zero")]
    pub discovered_artifacts: Option<DiscoveredArtifacts>,
    /// Name of the newest Freight made by this Warehouse.
    #[serde(rename = "lastFreightID", skip_serializing_if = "is_zero")]
    pub last_freight_id: String,
    /// The value of the refresh annotation that was acted on last.
    #[serde(skip_serializing_if = "is_zero")]
    pub last_handled_refresh: String,
    /// The generation of the object that was last put into effect completely.
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
}
