//! What a Stage holds and how that is.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    collection::{FreightCollection, FreightReference},
    condition::Condition,
    health::Health,
    json,
    omit::is_zero,
    origin::FreightOrigin,
    promotion::PromotionStatus,
    promotion_request::PromotionRequestPhase,
    window::PromotionWindowStatus,
};

/// What a Stage holds and how that is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StageStatus {
    /// Whether the Project's policies let Freight in without anybody asking.
    #[serde(skip_serializing_if = "is_zero")]
    pub auto_promotion_enabled: bool,
    /// Holds on automatic promotion that ended Promotions established, by origin.
    #[serde(skip_serializing_if = "is_zero")]
    pub auto_promotion_holds: BTreeMap<String, AutoPromotionHold>,
    /// Observed aspects of the object's state.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend(
        "x-kubernetes-list-type" = "map",
        "x-kubernetes-list-map-keys" = ["type"],
    ))]
    pub conditions: Vec<Condition>,
    /// The Promotion under way.
    #[serde(skip_serializing_if = "is_zero")]
    pub current_promotion: Option<PromotionReference>,
    /// The PromotionRequest under way.
    #[serde(skip_serializing_if = "is_zero")]
    pub current_promotion_request: Option<PromotionRequestReference>,
    /// Holds on automatic promotion in force now, by origin: those established, with what
    /// Promotions still under way change about them.
    #[serde(skip_serializing_if = "is_zero")]
    pub effective_auto_promotion_holds: BTreeMap<String, AutoPromotionHold>,
    /// What the Stage held, newest first, at most ten. The first entry is what it holds now.
    #[serde(skip_serializing_if = "is_zero")]
    pub freight_history: Vec<FreightCollection>,
    /// Name of the Freight the Stage holds or, when it takes Freight of several origins, for how
    /// many of them it holds any.
    #[serde(skip_serializing_if = "is_zero")]
    pub freight_summary: String,
    /// Health of what the Stage manages.
    #[serde(skip_serializing_if = "is_zero")]
    pub health: Option<Health>,
    /// The value of the refresh annotation that was acted on last.
    #[serde(skip_serializing_if = "is_zero")]
    pub last_handled_refresh: String,
    /// The Promotion that ended last.
    #[serde(skip_serializing_if = "is_zero")]
    pub last_promotion: Option<PromotionReference>,
    /// The PromotionRequest that ended last.
    #[serde(skip_serializing_if = "is_zero")]
    pub last_promotion_request: Option<PromotionRequestReference>,
    /// Notes that steps left on the Stage, by key.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "json::map")]
    pub metadata: BTreeMap<String, Value>,
    /// The generation of the object that was last put into effect completely.
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// What the promotion windows mean for the Stage right now. Absent when none applies.
    #[serde(skip_serializing_if = "is_zero")]
    pub promotion_window_status: Option<PromotionWindowStatus>,
}

/// A stop to automatic promotion of Freight of one origin, until the newest is promoted by hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AutoPromotionHold {
    /// Who created the Promotion behind the hold.
    #[serde(skip_serializing_if = "is_zero")]
    pub actor: String,
    /// When the hold was established.
    #[serde(skip_serializing_if = "is_zero")]
    pub created_at: Option<Time>,
    /// Name of the Freight that the hold keeps in place.
    pub freight_name: String,
    /// The origin that the hold is about.
    pub origin: FreightOrigin,
    /// Name of the Promotion behind the hold.
    #[serde(skip_serializing_if = "is_zero")]
    pub promotion_name: String,
}

/// A copy of what matters about a Promotion, which outlives the Promotion itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionReference {
    /// When the Promotion ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub finished_at: Option<Time>,
    /// The Freight promoted.
    #[serde(skip_serializing_if = "is_zero")]
    pub freight: Option<FreightReference>,
    /// Name of the Promotion.
    pub name: String,
    /// Status of the Promotion.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: Option<PromotionStatus>,
}

/// A copy of what matters about a PromotionRequest, which outlives the request itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionRequestReference {
    /// When the request ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub finished_at: Option<Time>,
    /// The Freight promoted.
    #[serde(skip_serializing_if = "is_zero")]
    pub freight: Option<PromotionRequestFreightReference>,
    /// Name of the PromotionRequest.
    pub name: String,
    /// Phase of the request.
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: PromotionRequestPhase,
}

/// Names the Freight of a PromotionRequest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionRequestFreightReference {
    /// Name of the Freight.
    pub name: String,
}
