//! Stage: a step of the delivery pipeline that holds Freight.

mod status;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    duration::Duration,
    kind::{Column, kind},
    omit::is_zero,
    origin::FreightOrigin,
    pattern,
    selector::LabelSelector,
    step::{self, ExpressionVariable, PromotionStep},
    string_enum::string_enum,
    verification::Verification,
};

pub use status::{
    AutoPromotionHold, PromotionReference, PromotionRequestFreightReference,
    PromotionRequestReference, StageStatus,
};

/// A step of the delivery pipeline, for example a test environment: which Freight it takes, how
/// Freight gets there, and how it is verified.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct Stage {
    /// Standard object metadata.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// What the Stage takes and what it does with it.
    pub spec: StageSpec,
    /// What the Stage holds and how that is.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: StageStatus,
}

kind!(Stage, Namespaced, {
    plural: "stages",
    short_names: [],
    status: true,
    columns: [
        Column::text("Shard", ".spec.shard"),
        Column::text("Current Freight", ".status.freightSummary"),
        Column::text("Health", ".status.health.status"),
        Column::READY,
        Column::STATUS,
        Column::AGE,
    ],
});

/// What a Stage takes and what it does with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StageSpec {
    /// How Freight gets into the Stage. Without steps the Stage only passes Freight on: it counts
    /// as verified here as soon as it is available.
    #[serde(skip_serializing_if = "is_zero")]
    pub promotion_template: Option<PromotionTemplate>,
    /// The Freight the Stage takes: one entry per origin.
    #[schemars(length(min = 1))]
    pub requested_freight: Vec<FreightRequest>,
    /// Name of the shard whose controller takes care of the Stage. Empty means the default
    /// controller.
    #[serde(skip_serializing_if = "is_zero")]
    pub shard: String,
    /// The Targets the Stage promotes to. Its presence makes promotion to the Stage a promotion to
    /// each of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub targets: Option<StageTargets>,
    /// Variables for the promotion template and for the arguments of verification.
    #[serde(skip_serializing_if = "is_zero")]
    pub vars: Vec<ExpressionVariable>,
    /// How Freight is verified after it was promoted. Absent means it counts as verified once the
    /// Stage is healthy.
    #[serde(skip_serializing_if = "is_zero")]
    pub verification: Option<Verification>,
}

/// A pattern for Promotions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionTemplate {
    /// What every Promotion to the Stage does.
    pub spec: PromotionTemplateSpec,
}

/// What every Promotion to a Stage does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionTemplateSpec {
    /// The steps, in order: each an action, or a reference to a task.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(min = 1), transform = step::template_rules)]
    pub steps: Vec<PromotionStep>,
    /// Variables for all steps; they hide the Stage's of the same name.
    #[serde(skip_serializing_if = "is_zero")]
    pub vars: Vec<ExpressionVariable>,
}

/// Freight of one origin, and when it may enter the Stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FreightRequest {
    /// Where the Freight comes from.
    pub origin: FreightOrigin,
    /// The way it must take to get here.
    pub sources: FreightSources,
}

/// The way Freight must take to a Stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FreightSources {
    /// How automatic promotion picks among the available Freight.
    #[serde(skip_serializing_if = "is_zero")]
    pub auto_promotion_options: Option<AutoPromotionOptions>,
    /// Whether Freight must have passed All of the Stages before, or OneOf them, which is the
    /// default.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(extend("enum" = ["All", "OneOf", ""]))]
    pub availability_strategy: FreightAvailabilityStrategy,
    /// Whether Freight may come straight from its origin. Defaults to false.
    #[serde(skip_serializing_if = "is_zero")]
    pub direct: bool,
    /// How long Freight must have stayed in a Stage before, for example `1h30m`. Absent means no
    /// minimum.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(regex(pattern = pattern::DURATION))]
    pub required_soak_time: Option<Duration>,
    /// Names of the Stages before, in which Freight must have been verified.
    #[serde(skip_serializing_if = "is_zero")]
    pub stages: Vec<String>,
}

string_enum! {
    /// How many of the Stages before must have verified Freight; unset means OneOf.
    listed FreightAvailabilityStrategy {
        /// Every one.
        All = "All",
        /// Any one.
        OneOf = "OneOf",
    }
}

/// How automatic promotion picks among the available Freight.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AutoPromotionOptions {
    /// NewestFreight, the default, picks the newest available; MatchUpstream picks what the Stage
    /// before holds now.
    #[serde(skip_serializing_if = "is_zero")]
    pub selection_policy: AutoPromotionSelectionPolicy,
}

string_enum! {
    /// What automatic promotion picks; unset means NewestFreight.
    listed AutoPromotionSelectionPolicy {
        /// The newest available Freight.
        NewestFreight = "NewestFreight",
        /// The Freight that the Stage before holds now.
        MatchUpstream = "MatchUpstream",
    }
}

/// Selects the Targets of a Stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StageTargets {
    /// Selectors by label; a Target that any of them matches belongs to the Stage. An empty
    /// selector matches all Targets of the Project, an empty list none.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub selectors: Vec<LabelSelector>,
}
