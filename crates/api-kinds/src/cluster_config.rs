//! ClusterConfig: settings for all Projects.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    condition::Condition,
    kind::{Column, kind},
    link::DeepLink,
    omit::is_zero,
    receiver::{WebhookReceiverConfig, WebhookReceiverDetails},
    secret::LocalObjectReference,
    window::PromotionWindow,
};

/// The name of the only ClusterConfig.
pub const CLUSTER_CONFIG_NAME: &str = "cluster";

/// Settings for all Projects. There is one object, named cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct ClusterConfig {
    /// Standard object metadata.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// The settings.
    #[serde(skip_serializing_if = "is_zero")]
    pub spec: ClusterConfigSpec,
    /// What came of the settings.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: ClusterConfigStatus,
}

kind!(ClusterConfig, Cluster, {
    plural: "clusterconfigs",
    short_names: ["clusterconfig", "clusterconfigs"],
    status: true,
    columns: [Column::READY, Column::STATUS, Column::AGE],
});

/// Settings for all Projects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterConfigSpec {
    /// Links shown on Freight of every Project, together with the Project's own.
    #[serde(skip_serializing_if = "is_zero")]
    pub freight_links: Vec<DeepLink>,
    /// Who commits are made by when a step does not say. Takes precedence over the settings of the
    /// installation.
    #[serde(skip_serializing_if = "is_zero")]
    pub git_client: Option<GitClientConfig>,
    /// When Promotions may start, in every Project that a window selects.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend(
        "x-kubernetes-list-type" = "map",
        "x-kubernetes-list-map-keys" = ["name"],
    ))]
    pub promotion_windows: Vec<PromotionWindow>,
    /// Links shown on Stages of every Project, together with the Project's own.
    #[serde(skip_serializing_if = "is_zero")]
    pub stage_links: Vec<DeepLink>,
    /// Endpoints that other systems call when something changed; they reach every Project.
    #[serde(skip_serializing_if = "is_zero")]
    pub webhook_receivers: Vec<WebhookReceiverConfig>,
}

/// Who commits are made by, and how they are signed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GitClientConfig {
    /// Mail address of the author and committer.
    #[schemars(length(min = 1), extend("format" = "email"))]
    pub email: String,
    /// Name of the author and committer.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The Secret, in the namespace of system resources, whose `signingKey` key holds the private
    /// GPG key to sign commits with. Absent means commits are not signed.
    #[serde(skip_serializing_if = "is_zero")]
    pub signing_key_secret: Option<LocalObjectReference>,
}

/// What came of the settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterConfigStatus {
    /// Observed aspects of the object's state.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend(
        "x-kubernetes-list-type" = "map",
        "x-kubernetes-list-map-keys" = ["type"],
    ))]
    pub conditions: Vec<Condition>,
    /// The value of the refresh annotation that was acted on last.
    #[serde(skip_serializing_if = "is_zero")]
    pub last_handled_refresh: String,
    /// The generation of the object that was last put into effect completely.
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// Where the configured webhook receivers can be reached.
    #[serde(skip_serializing_if = "is_zero")]
    pub webhook_receivers: Vec<WebhookReceiverDetails>,
}
