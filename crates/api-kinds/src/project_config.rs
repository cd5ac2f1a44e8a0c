//! ProjectConfig: settings for one Project.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    condition::Condition,
    kind::{Column, kind},
    link::DeepLink,
    omit::is_zero,
    pattern,
    promotion::PromotionPhase,
    receiver::{WebhookReceiverConfig, WebhookReceiverDetails},
    selector::PromotionPolicySelector,
    verification::VerificationPhase,
    window::PromotionWindow,
};

/// Settings for one Project. The object has the name of the Project and lives in its namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct ProjectConfig {
    /// Standard object metadata.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// The settings.
    #[serde(skip_serializing_if = "is_zero")]
    pub spec: ProjectConfigSpec,
    /// What came of the settings.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: ProjectConfigStatus,
}

kind!(ProjectConfig, Namespaced, {
    plural: "projectconfigs",
    short_names: [],
    status: true,
    columns: [Column::READY, Column::STATUS, Column::AGE],
});

/// Settings for one Project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProjectConfigSpec {
    /// Links shown on the Project's Freight.
    #[serde(skip_serializing_if = "is_zero")]
    pub freight_links: Vec<DeepLink>,
    /// Rules for the Project's Stages. The first one that selects a Stage applies to it.
    #[serde(skip_serializing_if = "is_zero")]
    pub promotion_policies: Vec<PromotionPolicy>,
    /// When Promotions of this Project may start, in addition to the windows of the cluster.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend(
        "x-kubernetes-list-type" = "map",
        "x-kubernetes-list-map-keys" = ["name"],
    ))]
    pub promotion_windows: Vec<PromotionWindow>,
    /// Links shown on the Project's Stages.
    #[serde(skip_serializing_if = "is_zero")]
    pub stage_links: Vec<DeepLink>,
    /// Endpoints that other systems call when something changed; they reach this Project only.
    #[serde(skip_serializing_if = "is_zero")]
    pub webhook_receivers: Vec<WebhookReceiverConfig>,
}

/// Rules for the Stages it selects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "has(self.stage) ? !has(self.stageSelector) : has(self.stageSelector)",
    "message": "PromotionPolicy must have exactly one of stage or stageSelector set",
}]))]
pub struct PromotionPolicy {
    /// Whether new Freight is promoted to the Stages without anybody asking. Defaults to false.
    #[serde(skip_serializing_if = "is_zero")]
    pub auto_promotion_enabled: bool,
    /// Whether the Stages return to the last good Freight when something goes wrong. Its presence
    /// turns that on.
    #[serde(skip_serializing_if = "is_zero")]
    pub auto_rollback: Option<AutoRollbackConfig>,
    /// Name of the one Stage. Deprecated: use stageSelector.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(regex(pattern = pattern::NAME))]
    pub stage: String,
    /// Selects the Stages.
    #[serde(skip_serializing_if = "is_zero")]
    pub stage_selector: Option<PromotionPolicySelector>,
}

/// What makes a Stage return to the last good Freight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AutoRollbackConfig {
    /// Ends of a Promotion that do: Failed, Errored. Defaults to none.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(max = 2), extend(
        "x-kubernetes-list-type" = "set",
        "x-kubernetes-validations" = [
            {
                "rule": "self.size() == 0 || self[0] == 'Failed' || self[0] == 'Errored'",
                "message": "onPromotion[0] must be Failed or Errored",
            },
            {
                "rule": "self.size() <= 1 || self[1] == 'Failed' || self[1] == 'Errored'",
                "message": "onPromotion[1] must be Failed or Errored",
            },
        ],
    ))]
    pub on_promotion: Vec<PromotionPhase>,
    /// Ends of a verification that do: Failed, Error. Defaults to Failed.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(max = 2), extend(
        "x-kubernetes-list-type" = "set",
        "x-kubernetes-validations" = [
            {
                "rule": "self.size() == 0 || self[0] == 'Failed' || self[0] == 'Error'",
                "message": "onVerification[0] must be Failed or Error",
            },
            {
                "rule": "self.size() <= 1 || self[1] == 'Failed' || self[1] == 'Error'",
                "message": "onVerification[1] must be Failed or Error",
            },
        ],
    ))]
    pub on_verification: Vec<VerificationPhase>,
}

/// What came of the settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ProjectConfigStatus {
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
