//! AnalysisRun: one execution of metrics.

use api_kinds::object;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::{AnalysisRunStatus, Argument, DryRun, Fields, MeasurementRetention, Metric, is_zero};

/// One execution of metrics. Its status is no subresource: it is written with the object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct AnalysisRun {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// What is measured.
    pub spec: AnalysisRunSpec,
    /// How it goes.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: AnalysisRunStatus,
}

object!(AnalysisRun, Namespaced, "analysisruns", crate);

/// What a run measures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AnalysisRunSpec {
    /// The metrics; all must end well.
    pub metrics: Vec<Metric>,
    /// The arguments of the metrics, all with a value or a place to read it from.
    #[serde(skip_serializing_if = "is_zero")]
    pub args: Vec<Argument>,
    /// Metrics whose outcome does not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub dry_run: Vec<DryRun>,
    /// How many measurements are kept.
    #[serde(skip_serializing_if = "is_zero")]
    pub measurement_retention: Vec<MeasurementRetention>,
    /// Asks to stop.
    #[serde(skip_serializing_if = "is_zero")]
    pub terminate: bool,
    /// When to delete the run after its end.
    #[serde(skip_serializing_if = "is_zero")]
    pub ttl_strategy: Option<TtlStrategy>,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// When to delete a run after its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TtlStrategy {
    /// Seconds after any end, where the two others do not apply.
    #[serde(skip_serializing_if = "is_zero")]
    pub seconds_after_completion: Option<i32>,
    /// Seconds after a bad end.
    #[serde(skip_serializing_if = "is_zero")]
    pub seconds_after_failure: Option<i32>,
    /// Seconds after a good end.
    #[serde(skip_serializing_if = "is_zero")]
    pub seconds_after_success: Option<i32>,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}
