//! How a run goes: its phase, its metrics, and what was measured.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};

use crate::{AnalysisPhase, Fields, is_zero};

/// How a run goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AnalysisRunStatus {
    /// How far the run is.
    pub phase: AnalysisPhase,
    /// Explanation of the phase.
    #[serde(skip_serializing_if = "is_zero")]
    pub message: String,
    /// How each metric goes.
    #[serde(skip_serializing_if = "is_zero")]
    pub metric_results: Vec<MetricResult>,
    /// When the run was taken up.
    #[serde(skip_serializing_if = "is_zero")]
    pub started_at: Option<Time>,
    /// When the run ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub completed_at: Option<Time>,
    /// Counts of the metrics whose outcome counts.
    #[serde(skip_serializing_if = "is_zero")]
    pub run_summary: RunSummary,
    /// Counts of the metrics whose outcome does not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub dry_run_summary: Option<RunSummary>,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// Counts of metrics by outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunSummary {
    /// All of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub count: i32,
    /// Those that ended well.
    #[serde(skip_serializing_if = "is_zero")]
    pub successful: i32,
    /// Those that ended badly.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: i32,
    /// Those without a verdict.
    #[serde(skip_serializing_if = "is_zero")]
    pub inconclusive: i32,
    /// Those that could not be carried out.
    #[serde(skip_serializing_if = "is_zero")]
    pub error: i32,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// How a metric goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MetricResult {
    /// Name of the metric.
    pub name: String,
    /// How far the metric is.
    pub phase: AnalysisPhase,
    /// The last measurements, oldest first.
    #[serde(skip_serializing_if = "is_zero")]
    pub measurements: Vec<Measurement>,
    /// Explanation of the phase.
    #[serde(skip_serializing_if = "is_zero")]
    pub message: String,
    /// How many measurements ended, errors left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub count: i32,
    /// How many ended well.
    #[serde(skip_serializing_if = "is_zero")]
    pub successful: i32,
    /// How many ended badly.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed: i32,
    /// How many ended without a verdict.
    #[serde(skip_serializing_if = "is_zero")]
    pub inconclusive: i32,
    /// How many could not be carried out.
    #[serde(skip_serializing_if = "is_zero")]
    pub error: i32,
    /// How many of the last could not be carried out.
    #[serde(skip_serializing_if = "is_zero")]
    pub consecutive_error: i32,
    /// How many of the last ended well.
    #[serde(skip_serializing_if = "is_zero")]
    pub consecutive_success: i32,
    /// Whether the outcome does not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub dry_run: bool,
    /// What the provider says about the metric, such as its resolved query.
    #[serde(skip_serializing_if = "is_zero")]
    pub metadata: BTreeMap<String, String>,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// One measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Measurement {
    /// How far the measurement is.
    pub phase: AnalysisPhase,
    /// Explanation of the phase.
    #[serde(skip_serializing_if = "is_zero")]
    pub message: String,
    /// When it began.
    #[serde(skip_serializing_if = "is_zero")]
    pub started_at: Option<Time>,
    /// When it ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub finished_at: Option<Time>,
    /// What was measured.
    #[serde(skip_serializing_if = "is_zero")]
    pub value: String,
    /// What the provider says about the measurement, such as the name of its Job.
    #[serde(skip_serializing_if = "is_zero")]
    pub metadata: BTreeMap<String, String>,
    /// When the provider wants to be asked again.
    #[serde(skip_serializing_if = "is_zero")]
    pub resume_at: Option<Time>,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}
