//! Promotion: moving one piece of Freight into one Stage.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    collection::{FreightCollection, FreightReference},
    health::HealthCheckStep,
    json::{self, Json},
    kind::{Column, kind},
    omit::is_zero,
    origin::FreightOrigin,
    pattern,
    step::{self, ExpressionVariable, PromotionStep},
    string_enum::string_enum,
};

/// An order to move one piece of Freight into one Stage, and the record of how it went. Promotions
/// of a Stage run one at a time, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct Promotion {
    /// Standard object metadata.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// The order. It does not change once given.
    pub spec: PromotionSpec,
    /// How it goes.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: PromotionStatus,
}

kind!(Promotion, Namespaced, {
    plural: "promotions",
    short_names: ["promo", "promos"],
    status: true,
    columns: [
        Column::text("Shard", r".metadata.labels.kargo\.akuity\.io/shard"),
        Column::text("Stage", ".spec.stage"),
        Column::text("Freight", ".spec.freight"),
        Column::text("Phase", ".status.phase"),
        Column::AGE,
    ],
});

/// An order to move Freight into a Stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-validations" = [{
    "rule": "has(self.freight) != has(self.origin)",
    "message": "exactly one of freight or origin must be set",
}]))]
pub struct PromotionSpec {
    /// Name of the Freight.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::NAME))]
    pub freight: String,
    /// Asks for the newest available Freight of this origin. Replaced by the name of that Freight
    /// when the Promotion is created.
    #[serde(skip_serializing_if = "is_zero")]
    pub origin: Option<FreightOrigin>,
    /// Name of the Stage.
    #[schemars(length(min = 1, max = 253), regex(pattern = pattern::NAME))]
    pub stage: String,
    /// The steps to carry out. Copied from the Stage when the Promotion is created, with tasks
    /// replaced by their steps.
    #[schemars(length(min = 1), transform = step::promotion_rules)]
    pub steps: Vec<PromotionStep>,
    /// Name of the one Target to promote to. Only set on Promotions that belong to a
    /// PromotionRequest.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(max = 253), regex(pattern = pattern::NAME))]
    pub target: String,
    /// Variables for all steps. Copied from the Stage when the Promotion is created.
    #[serde(skip_serializing_if = "is_zero")]
    pub vars: Vec<ExpressionVariable>,
}

/// How a Promotion goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionStatus {
    /// Position of the step that runs now or comes next, counted from 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub current_step: i64,
    /// When the Promotion ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub finished_at: Option<Time>,
    /// The Freight as it was when the Promotion started.
    #[serde(skip_serializing_if = "is_zero")]
    pub freight: Option<FreightReference>,
    /// All Freight the Stage will hold after the Promotion: what it held, with this piece in place
    /// of the one from the same origin.
    #[serde(skip_serializing_if = "is_zero")]
    pub freight_collection: Option<FreightCollection>,
    /// Health checks that the steps ask the Stage to repeat from now on.
    #[serde(skip_serializing_if = "is_zero")]
    pub health_checks: Vec<HealthCheckStep>,
    /// The value of the refresh annotation that was acted on last.
    #[serde(skip_serializing_if = "is_zero")]
    pub last_handled_refresh: String,
    /// Explanation of the phase, for people.
    #[serde(skip_serializing_if = "is_zero")]
    pub message: String,
    /// How far the Promotion is: Pending, Running, Succeeded, Failed, Errored, or Aborted.
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: PromotionPhase,
    /// When the first step started.
    #[serde(skip_serializing_if = "is_zero")]
    pub started_at: Option<Time>,
    /// Output of the steps so far, by alias.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "json::any")]
    pub state: Option<Json>,
    /// How each step went, in order, up to the current one.
    #[serde(skip_serializing_if = "is_zero")]
    pub step_execution_metadata: Vec<StepExecutionMetadata>,
}

/// How a step went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StepExecutionMetadata {
    /// Alias of the step.
    #[serde(skip_serializing_if = "is_zero")]
    pub alias: String,
    /// Whether the Promotion may go on although the step failed.
    #[serde(skip_serializing_if = "is_zero")]
    pub continue_on_error: bool,
    /// How many errors in a row the step met.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(with = "i32")]
    pub error_count: u32,
    /// When the step ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub finished_at: Option<Time>,
    /// Explanation of the status, for people.
    #[serde(skip_serializing_if = "is_zero")]
    pub message: String,
    /// When the step started.
    #[serde(skip_serializing_if = "is_zero")]
    pub started_at: Option<Time>,
    /// How far the step is: Running, Succeeded, Skipped, Aborted, Failed, or Errored.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: PromotionStepStatus,
}

string_enum! {
    /// How far a Promotion is; unset means no controller has seen it.
    open PromotionPhase {
        /// Waiting for its turn.
        Pending = "Pending",
        /// Under way.
        Running = "Running",
        /// Ended: the Stage holds the Freight.
        Succeeded = "Succeeded",
        /// Ended: a step failed.
        Failed = "Failed",
        /// Ended: something outside the steps went wrong.
        Errored = "Errored",
        /// Ended on request.
        Aborted = "Aborted",
    }
}

impl PromotionPhase {
    /// Whether nothing more will happen.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Errored | Self::Aborted)
    }
}

string_enum! {
    /// How far a step is.
    open PromotionStepStatus {
        /// Ended well.
        Succeeded = "Succeeded",
        /// Not run, because its condition did not hold.
        Skipped = "Skipped",
        /// Under way.
        Running = "Running",
        /// Ended on request.
        Aborted = "Aborted",
        /// Ended badly; repeating it would not help.
        Failed = "Failed",
        /// Met an error.
        Errored = "Errored",
    }
}
