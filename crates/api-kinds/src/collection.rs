//! Copies of Freight kept in the statuses of Stages and Promotions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    artifact::{ArtifactReference, Chart, GitCommit, Image},
    omit::is_zero,
    origin::FreightOrigin,
    small_map::SmallMap,
    verification::VerificationInfo,
};

/// A copy of what matters about a piece of Freight, which outlives the Freight itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FreightReference {
    /// Artifacts of other kinds.
    #[serde(skip_serializing_if = "is_zero")]
    pub artifacts: Vec<ArtifactReference>,
    /// Helm charts.
    #[serde(skip_serializing_if = "is_zero")]
    pub charts: Vec<Chart>,
    /// Git commits.
    #[serde(skip_serializing_if = "is_zero")]
    pub commits: Vec<GitCommit>,
    /// Container images.
    #[serde(skip_serializing_if = "is_zero")]
    pub images: Vec<Image>,
    /// Name of the Freight.
    #[serde(skip_serializing_if = "is_zero")]
    pub name: String,
    /// Where the Freight came from.
    #[serde(skip_serializing_if = "is_zero")]
    pub origin: FreightOrigin,
}

/// The Freight a Stage holds at one time: one piece per origin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FreightCollection {
    /// Identifies the collection; derived from the names of its members.
    pub id: String,
    /// The members, keyed by origin (`Warehouse/name`).
    #[serde(rename = "items", skip_serializing_if = "is_zero")]
    #[schemars(with = "BTreeMap<String, FreightReference>")]
    pub freight: SmallMap<FreightReference>,
    /// Verifications of the collection, newest first, at most ten.
    #[serde(skip_serializing_if = "is_zero")]
    pub verification_history: Vec<VerificationInfo>,
}
