//! Metrics: what is measured, how often, and what counts as good.

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::{Deserialize, Serialize};

use crate::{Fields, Provider, is_zero};

/// One thing that a run measures.
///
/// Numbers may be texts, because they may be written as `{{args.<name>}}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metric {
    /// Name of the metric, unique in its run.
    pub name: String,
    /// Time between two measurements, in the form `30s`; absent means a single one.
    #[serde(skip_serializing_if = "is_zero")]
    pub interval: String,
    /// Time to wait before the first measurement, in the form `5m`.
    #[serde(skip_serializing_if = "is_zero")]
    pub initial_delay: String,
    /// How many measurements are taken; absent means one without `interval` and no end with it.
    #[serde(skip_serializing_if = "is_zero")]
    pub count: Option<IntOrString>,
    /// Condition over `result` of a good measurement.
    #[serde(skip_serializing_if = "is_zero")]
    pub success_condition: String,
    /// Condition over `result` of a bad measurement.
    #[serde(skip_serializing_if = "is_zero")]
    pub failure_condition: String,
    /// How many bad measurements are borne; absent means none.
    #[serde(skip_serializing_if = "is_zero")]
    pub failure_limit: Option<IntOrString>,
    /// How many measurements without a verdict are borne; absent means none.
    #[serde(skip_serializing_if = "is_zero")]
    pub inconclusive_limit: Option<IntOrString>,
    /// How many errors in a row are borne; absent means 4.
    #[serde(skip_serializing_if = "is_zero")]
    pub consecutive_error_limit: Option<IntOrString>,
    /// How many good measurements in a row end the metric well; absent means that they do not.
    #[serde(skip_serializing_if = "is_zero")]
    pub consecutive_success_limit: Option<IntOrString>,
    /// Who measures.
    pub provider: Provider,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// A metric whose outcome does not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DryRun {
    /// Name of the metric, or a regular expression over names.
    pub metric_name: String,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// How many measurements of a metric are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MeasurementRetention {
    /// Name of the metric, or a regular expression over names.
    pub metric_name: String,
    /// How many are kept.
    pub limit: i32,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}
