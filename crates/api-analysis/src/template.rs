//! Templates of runs: in a namespace, and for the whole cluster.

use api_kinds::object;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

use crate::{Argument, DryRun, Fields, MeasurementRetention, Metric, is_zero};

/// A template of runs in its namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct AnalysisTemplate {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// What runs measure.
    pub spec: AnalysisTemplateSpec,
}

object!(AnalysisTemplate, Namespaced, "analysistemplates", crate);

/// A template of runs in every namespace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct ClusterAnalysisTemplate {
    /// Standard object metadata.
    pub metadata: ObjectMeta,
    /// What runs measure.
    pub spec: AnalysisTemplateSpec,
}

object!(ClusterAnalysisTemplate, Cluster, "clusteranalysistemplates", crate);

/// What runs of a template measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AnalysisTemplateSpec {
    /// The metrics.
    #[serde(skip_serializing_if = "is_zero")]
    pub metrics: Vec<Metric>,
    /// The arguments of the metrics, with their defaults.
    #[serde(skip_serializing_if = "is_zero")]
    pub args: Vec<Argument>,
    /// Metrics whose outcome does not count.
    #[serde(skip_serializing_if = "is_zero")]
    pub dry_run: Vec<DryRun>,
    /// How many measurements are kept.
    #[serde(skip_serializing_if = "is_zero")]
    pub measurement_retention: Vec<MeasurementRetention>,
    /// Other templates whose metrics belong to this one.
    #[serde(skip_serializing_if = "is_zero")]
    pub templates: Vec<TemplateReference>,
    /// Fields not looked at.
    #[serde(flatten)]
    pub rest: Fields,
}

/// Names another template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TemplateReference {
    /// Name of the template.
    pub template_name: String,
    /// Whether it is a ClusterAnalysisTemplate.
    #[serde(skip_serializing_if = "is_zero")]
    pub cluster_scope: bool,
}
