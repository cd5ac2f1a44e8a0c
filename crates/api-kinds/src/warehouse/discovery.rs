//! What a Warehouse found, per subscription.
//!
//! An entry without versions means that the subscription was searched and nothing matched.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{artifact::ArtifactReference, omit::is_zero, pattern};

/// Artifact versions found by all subscriptions of a Warehouse.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DiscoveredArtifacts {
    /// What the chart subscriptions found.
    #[serde(skip_serializing_if = "is_zero")]
    pub charts: Vec<ChartDiscoveryResult>,
    /// When the search took place.
    #[serde(skip_serializing_if = "is_zero")]
    pub discovered_at: Option<Time>,
    /// What the Git subscriptions found.
    #[serde(skip_serializing_if = "is_zero")]
    pub git: Vec<GitDiscoveryResult>,
    /// What the image subscriptions found.
    #[serde(skip_serializing_if = "is_zero")]
    pub images: Vec<ImageDiscoveryResult>,
    /// What subscriptions of other types found.
    #[serde(skip_serializing_if = "is_zero")]
    pub results: Vec<DiscoveryResult>,
}

/// What a Git subscription found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GitDiscoveryResult {
    /// The commits, best first. None means nothing matched.
    #[serde(skip_serializing_if = "is_zero")]
    pub commits: Vec<DiscoveredCommit>,
    /// What the repository's references looked like. When they look the same next time, the
    /// repository need not be searched again.
    #[serde(skip_serializing_if = "is_zero")]
    pub observed_refs: Option<GitDiscoveryRefs>,
    /// URL of the repository.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1), regex(pattern = pattern::GIT_URL))]
    pub repo_url: String,
    /// Name of the subscription, if it has one.
    #[serde(skip_serializing_if = "is_zero")]
    pub subscription_name: String,
}

/// What the references of a Git repository looked like: a branch or the tags, depending on how
/// commits are selected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GitDiscoveryRefs {
    /// Hash of the commit at the head of the branch.
    #[serde(skip_serializing_if = "is_zero")]
    pub branch_head: String,
    /// The tags, sorted by name.
    #[serde(skip_serializing_if = "is_zero")]
    pub tags: Vec<DiscoveredRef>,
}

/// A tag of a Git repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DiscoveredRef {
    /// Hash of the object that the tag points to; of the tag object itself when the tag is
    /// annotated.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Name of the tag.
    #[schemars(length(min = 1))]
    pub name: String,
}

/// A commit that a Git subscription found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DiscoveredCommit {
    /// Who wrote the change, as `name <address>`.
    #[serde(skip_serializing_if = "is_zero")]
    pub author: String,
    /// The branch on which the commit was found.
    #[serde(skip_serializing_if = "is_zero")]
    pub branch: String,
    /// Who made the commit, as `name <address>`.
    #[serde(skip_serializing_if = "is_zero")]
    pub committer: String,
    /// When the commit or, if it was selected by tag, the annotated tag was made.
    #[serde(skip_serializing_if = "is_zero")]
    pub creator_date: Option<Time>,
    /// The commit's hash.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(length(min = 1))]
    pub id: String,
    /// First line of the commit message.
    #[serde(skip_serializing_if = "is_zero")]
    pub subject: String,
    /// The tag by which the commit was selected, if it was selected by tag.
    #[serde(skip_serializing_if = "is_zero")]
    pub tag: String,
}

/// What an image subscription found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageDiscoveryResult {
    /// The platform that images had to support, if the subscription asks for one.
    #[serde(skip_serializing_if = "is_zero")]
    pub platform: String,
    /// The images, best first. None means nothing matched.
    #[serde(skip_serializing_if = "is_zero")]
    pub references: Vec<DiscoveredImageReference>,
    /// Repository of the images, without tag.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1))]
    pub repo_url: String,
    /// Name of the subscription, if it has one.
    #[serde(skip_serializing_if = "is_zero")]
    pub subscription_name: String,
}

/// An image that an image subscription found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DiscoveredImageReference {
    /// Annotations of the image, as its registry gives them.
    #[serde(skip_serializing_if = "is_zero")]
    pub annotations: BTreeMap<String, String>,
    /// When the image was built, if it says so.
    #[serde(skip_serializing_if = "is_zero")]
    pub created_at: Option<Time>,
    /// Digest that identifies the content.
    #[schemars(length(min = 1), regex(pattern = pattern::DIGEST))]
    pub digest: String,
    /// Tag under which the image was found.
    #[schemars(length(min = 1, max = 128), regex(pattern = pattern::TAG))]
    pub tag: String,
}

/// What a chart subscription found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ChartDiscoveryResult {
    /// Name of the chart. Empty for charts in OCI registries, whose URL includes it.
    #[serde(skip_serializing_if = "is_zero")]
    pub name: String,
    /// URL of the chart repository, or of the chart itself in an OCI registry.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1))]
    pub repo_url: String,
    /// The constraint that versions had to meet, if the subscription has one.
    #[serde(skip_serializing_if = "is_zero")]
    pub semver_constraint: String,
    /// Name of the subscription, if it has one.
    #[serde(skip_serializing_if = "is_zero")]
    pub subscription_name: String,
    /// The versions, highest first. None means nothing matched.
    #[serde(skip_serializing_if = "is_zero")]
    pub versions: Vec<String>,
}

/// What a subscription of another type found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DiscoveryResult {
    /// The artifact versions, best first. None means nothing matched.
    #[serde(skip_serializing_if = "is_zero")]
    pub artifact_references: Vec<ArtifactReference>,
    /// Name of the subscription.
    #[schemars(length(min = 1))]
    pub name: String,
}
