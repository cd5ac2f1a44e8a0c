//! Freight: a set of artifact versions that moves through the Stages together.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    artifact::{ArtifactReference, Chart, GitCommit, Image},
    duration::Duration,
    json,
    kind::{Column, kind},
    omit::is_zero,
    origin::FreightOrigin,
};

/// A set of artifact versions that moves through the Stages of a Project together. Its content
/// never changes and determines its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, remote = "Self")]
pub struct Freight {
    /// Standard object metadata.
    #[schemars(skip)]
    pub metadata: ObjectMeta,
    /// A name that people can remember. Made up when left empty; may be changed.
    #[serde(skip_serializing_if = "is_zero")]
    pub alias: String,
    /// Artifacts of other kinds.
    #[serde(skip_serializing_if = "is_zero")]
    pub artifacts: Vec<ArtifactReference>,
    /// Helm charts.
    #[serde(skip_serializing_if = "is_zero")]
    pub charts: Vec<Chart>,
    /// Git commits.
    #[serde(skip_serializing_if = "is_zero")]
    pub commits: Vec<GitCommit>,
    /// When this set of artifact versions was first seen. The newest Freight is the one with the
    /// latest time.
    #[serde(skip_serializing_if = "is_zero")]
    pub discovered_at: Option<Time>,
    /// Container images.
    #[serde(skip_serializing_if = "is_zero")]
    pub images: Vec<Image>,
    /// Where the Freight came from.
    pub origin: FreightOrigin,
    /// How far the Freight got.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: FreightStatus,
}

kind!(Freight, Namespaced, {
    plural: "freights",
    short_names: [],
    status: true,
    columns: [
        Column::text("Alias", r".metadata.labels.kargo\.akuity\.io/alias"),
        Column::text("Origin (Kind)", ".origin.kind"),
        Column::text("Origin (Name)", ".origin.name"),
        Column::AGE,
    ],
});

/// How far a piece of Freight got.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FreightStatus {
    /// Stages for which somebody approved the Freight, by name. Approval replaces verification in
    /// the Stages before.
    #[serde(skip_serializing_if = "is_zero")]
    pub approved_for: BTreeMap<String, ApprovedStage>,
    /// Stages that hold the Freight now, by name.
    #[serde(skip_serializing_if = "is_zero")]
    pub currently_in: BTreeMap<String, CurrentStage>,
    /// Notes that steps left on the Freight, by key.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "json::map")]
    pub metadata: BTreeMap<String, Value>,
    /// Stages in which the Freight passed verification, by name.
    #[serde(skip_serializing_if = "is_zero")]
    pub verified_in: BTreeMap<String, VerifiedStage>,
}

/// An approval for a Stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ApprovedStage {
    /// When the Freight was approved.
    #[serde(skip_serializing_if = "is_zero")]
    pub approved_at: Option<Time>,
}

/// A stay in a Stage that has not ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CurrentStage {
    /// When the Freight entered the Stage.
    #[serde(skip_serializing_if = "is_zero")]
    pub since: Option<Time>,
}

/// A verification passed in a Stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct VerifiedStage {
    /// The longest stay in the Stage that has ended. A stay that has not ended may be longer.
    #[serde(rename = "longestSoak", skip_serializing_if = "is_zero")]
    pub longest_completed_soak: Option<Duration>,
    /// When the Freight first passed verification there.
    #[serde(skip_serializing_if = "is_zero")]
    pub verified_at: Option<Time>,
}
