//! The artifacts that Freight refers to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{json, omit::is_zero};

/// One commit of a Git repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GitCommit {
    /// Who wrote the change, as `name <address>`.
    #[serde(skip_serializing_if = "is_zero")]
    pub author: String,
    /// The branch on which the commit was found.
    #[serde(skip_serializing_if = "is_zero")]
    pub branch: String,
    /// Who made the commit, as `name <address>`.
    #[serde(skip_serializing_if = "is_zero")]
    pub committer: String,
    /// The commit's hash.
    #[serde(skip_serializing_if = "is_zero")]
    pub id: String,
    /// First line of the commit message.
    #[serde(skip_serializing_if = "is_zero")]
    pub message: String,
    /// URL of the repository.
    #[serde(rename = "repoURL", skip_serializing_if = "is_zero")]
    pub repo_url: String,
    /// Name of the subscription that found the commit, if it has one.
    #[serde(skip_serializing_if = "is_zero")]
    pub subscription_name: String,
    /// The tag by which the commit was selected, if it was selected by tag.
    #[serde(skip_serializing_if = "is_zero")]
    pub tag: String,
}

/// One version of a container image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Image {
    /// Annotations of the image, as its registry gives them.
    #[serde(skip_serializing_if = "is_zero")]
    pub annotations: BTreeMap<String, String>,
    /// Digest that identifies the content.
    #[serde(skip_serializing_if = "is_zero")]
    pub digest: String,
    /// Repository of the image, without tag.
    #[serde(rename = "repoURL", skip_serializing_if = "is_zero")]
    pub repo_url: String,
    /// Name of the subscription that found the image, if it has one.
    #[serde(skip_serializing_if = "is_zero")]
    pub subscription_name: String,
    /// Tag under which the image was found.
    #[serde(skip_serializing_if = "is_zero")]
    pub tag: String,
}

/// One version of a Helm chart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Chart {
    /// Name of the chart. Empty for charts in OCI registries, whose URL includes it.
    #[serde(skip_serializing_if = "is_zero")]
    pub name: String,
    /// URL of the chart repository, or of the chart itself in an OCI registry.
    #[serde(rename = "repoURL", skip_serializing_if = "is_zero")]
    pub repo_url: String,
    /// Name of the subscription that found the chart, if it has one.
    #[serde(skip_serializing_if = "is_zero")]
    pub subscription_name: String,
    /// Version of the chart.
    #[serde(skip_serializing_if = "is_zero")]
    pub version: String,
}

/// One version of an artifact that is neither commit, image, nor chart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ArtifactReference {
    /// Kind of artifact, which is the type of the subscription that found it.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(min = 1))]
    pub artifact_type: String,
    /// Whatever else the subscription recorded about this version. It does not contribute to the
    /// identity of Freight.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "json::any")]
    pub metadata: Option<Value>,
    /// Name of the subscription that found the artifact.
    #[schemars(length(min = 1))]
    pub subscription_name: String,
    /// The version found.
    #[schemars(length(min = 1))]
    pub version: String,
}
