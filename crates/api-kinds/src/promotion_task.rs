//! PromotionTask and ClusterPromotionTask: steps to share between Stages.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    kind::{Column, kind},
    omit::is_zero,
    step::{self, ExpressionVariable, PromotionStep},
};

/// Steps that the Stages of a Project share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct PromotionTask {
    /// Standard object metadata.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// The steps and their inputs.
    pub spec: PromotionTaskSpec,
}

kind!(PromotionTask, Namespaced, {
    plural: "promotiontasks",
    short_names: ["promotask", "promotasks"],
    status: false,
    columns: [Column::AGE],
});

/// Steps that the Stages of all Projects share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct ClusterPromotionTask {
    /// Standard object metadata.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// The steps and their inputs.
    pub spec: PromotionTaskSpec,
}

kind!(ClusterPromotionTask, Cluster, {
    plural: "clusterpromotiontasks",
    short_names: ["clusterpromotask", "clusterpromotasks"],
    status: false,
    columns: [Column::AGE],
});

/// Steps and their inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PromotionTaskSpec {
    /// The steps, in order. None may refer to another task.
    #[schemars(length(min = 1), transform = step::task_rules)]
    pub steps: Vec<PromotionStep>,
    /// Inputs of the task. One with a value is optional and the value is its default; one without
    /// must be set where the task is used.
    #[serde(skip_serializing_if = "is_zero")]
    pub vars: Vec<ExpressionVariable>,
}
