//! What a search of a file found, for people and for programs.

use api_kinds::{
    Freight,
    artifact::ArtifactReference,
    warehouse::{DiscoveredCommit, DiscoveredImageReference},
};
use core_rules::{
    subscription::{Verdict, Verdicts},
    warehouse::Finding,
};
use serde::Serialize;

/// All Warehouses of a file.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub warehouses: Vec<WarehouseReport>,
}

/// One Warehouse.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WarehouseReport {
    pub project: String,
    pub name: String,
    /// What admission would warn about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// In the order of the file.
    pub subscriptions: Vec<SubscriptionReport>,
    #[serde(flatten)]
    pub freight: FreightReport,
}

/// The Freight that would be there, or why there would be none.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum FreightReport {
    Freight(Box<Freight>),
    NoFreight(String),
    /// Admission would not let the Warehouse in.
    Refused(String),
}

/// One subscription.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionReport {
    /// `git`, `image`, `chart` or another.
    #[serde(rename = "type")]
    pub subscription_type: String,
    /// Where was searched.
    pub repository: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Why it could not be searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Best first.
    pub selected: Vec<Artifact>,
    /// In the order in which it was decided.
    pub rejected: Vec<Rejected>,
    /// How many more candidates there were.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_shown: usize,
}

/// A version that was selected, with the fields that a Warehouse's status has for it.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Artifact {
    Commit(DiscoveredCommit),
    Image(DiscoveredImageReference),
    Chart { version: String },
    Other(ArtifactReference),
}

/// A candidate that was passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rejected {
    pub candidate: String,
    pub reason: String,
}

impl Report {
    /// Whether anything was refused or could not be searched.
    pub fn has_failures(&self) -> bool {
        self.warehouses.iter().any(WarehouseReport::has_failures)
    }
}

impl WarehouseReport {
    fn has_failures(&self) -> bool {
        matches!(self.freight, FreightReport::Refused(_))
            || self.subscriptions.iter().any(|subscription| subscription.error.is_some())
    }
}

/// The versions of a finding.
pub(super) fn artifacts(finding: &Finding) -> Vec<Artifact> {
    match finding {
        Finding::Git(found) => found.commits.iter().cloned().map(Artifact::Commit).collect(),
        Finding::Image(found) => found.references.iter().cloned().map(Artifact::Image).collect(),
        Finding::Chart(found) => {
            found.versions.iter().cloned().map(|version| Artifact::Chart { version }).collect()
        }
        Finding::Other(found) => {
            found.artifact_references.iter().cloned().map(Artifact::Other).collect()
        }
    }
}

/// Those that were passed over.
pub(super) fn rejected(verdicts: &Verdicts) -> Vec<Rejected> {
    let told = verdicts.entries().iter().filter_map(|(candidate, verdict)| match verdict {
        Verdict::Selected => None,
        Verdict::Rejected(reason) => {
            Some(Rejected { candidate: candidate.clone(), reason: reason.to_string() })
        }
    });
    told.collect()
}

/// How many candidates are neither among the selected nor among those with a reason.
pub(super) fn not_shown(selected: usize, verdicts: &Verdicts) -> usize {
    let told = verdicts.entries().iter().filter(|(_, verdict)| *verdict == Verdict::Selected);
    let selected_untold = selected.saturating_sub(told.count());
    verdicts.left_off().saturating_sub(selected_untold)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
