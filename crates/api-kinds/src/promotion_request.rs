//! PromotionRequest: moving one piece of Freight to many Targets of one Stage.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    condition::Condition,
    kind::{Column, kind},
    omit::is_zero,
    pattern,
    promotion::PromotionPhase,
    string_enum::string_enum,
};

/// An order to move one piece of Freight to many Targets of one Stage: one Promotion for each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct PromotionRequest {
    /// Standard object metadata.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// The order. Only the Targets may change once it is given.
    pub spec: PromotionRequestSpec,
    /// How it goes.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: PromotionRequestStatus,
}

kind!(PromotionRequest, Namespaced, {
    plural: "promotionrequests",
    short_names: ["promotionrequest", "promotionrequests"],
    status: true,
    columns: [
        Column::text("Stage", ".spec.stage"),
        Column::text("Freight", ".spec.freight"),
        Column::text("Phase", ".status.phase"),
        Column::AGE,
    ],
});

/// An order to move Freight to many Targets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionRequestSpec {
    /// Name of the Freight. Cannot be changed.
    #[schemars(
        length(min = 1, max = 253),
        regex(pattern = pattern::NAME),
        extend("x-kubernetes-validations" = [{ "rule": "self == oldSelf" }]),
    )]
    pub freight: String,
    /// Name of the Stage. Cannot be changed.
    #[schemars(
        length(min = 1, max = 253),
        regex(pattern = pattern::NAME),
        extend("x-kubernetes-validations" = [{ "rule": "self == oldSelf" }]),
    )]
    pub stage: String,
    /// The Targets. May be empty, and may grow while the request is under way.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub targets: Vec<PromotionRequestTarget>,
}

/// Names a Target to promote to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionRequestTarget {
    /// Name of the Target, in the same namespace.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::NAME))]
    pub name: String,
}

/// How a PromotionRequest goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionRequestStatus {
    /// Observed aspects of the object's state.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend(
        "x-kubernetes-list-type" = "map",
        "x-kubernetes-list-map-keys" = ["type"],
    ))]
    pub conditions: Vec<Condition>,
    /// When the last Promotion ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub finished_at: Option<Time>,
    /// The generation of the object that this status is about.
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_generation: i64,
    /// How far the request is: Pending, Running, Succeeded, Failed, or Errored.
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: PromotionRequestPhase,
    /// When the first Promotion was created.
    #[serde(skip_serializing_if = "is_zero")]
    pub started_at: Option<Time>,
    /// How many Promotions are in which phase.
    #[serde(skip_serializing_if = "is_zero")]
    pub summary: Option<PromotionRequestSummary>,
    /// How it goes for each Target.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub targets: Vec<PromotionRequestTargetStatus>,
}

/// How many Promotions of a request are in which phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionRequestSummary {
    /// How many were aborted.
    #[serde(skip_serializing_if = "is_zero")]
    pub aborted: i32,
    /// How many ended because something outside their steps went wrong.
    #[serde(skip_serializing_if = "is_zero")]
    pub errored: i32,
    /// How many failed.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: i32,
    /// How many wait for their turn.
    #[serde(skip_serializing_if = "is_zero")]
    pub pending: i32,
    /// How many are under way.
    #[serde(skip_serializing_if = "is_zero")]
    pub running: i32,
    /// How many succeeded.
    #[serde(skip_serializing_if = "is_zero")]
    pub succeeded: i32,
}

/// How a request goes for one Target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionRequestTargetStatus {
    /// Name of the Target.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::NAME))]
    pub name: String,
    /// Phase of the Promotion for this Target.
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: PromotionPhase,
    /// Name of the Promotion for this Target, once it is created.
    #[serde(skip_serializing_if = "is_zero")]
    pub promotion: String,
}

string_enum! {
    /// How far a PromotionRequest is.
    open PromotionRequestPhase {
        /// Nothing has been started.
        Pending = "Pending",
        /// Under way.
        Running = "Running",
        /// Ended: every Promotion succeeded.
        Succeeded = "Succeeded",
        /// Ended: some Promotion failed or was aborted.
        Failed = "Failed",
        /// Ended: something outside the steps of a Promotion went wrong.
        Errored = "Errored",
    }
}

impl PromotionRequestPhase {
    /// Whether nothing more will happen.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Errored)
    }
}
