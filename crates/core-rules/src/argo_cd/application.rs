//! The parts of an Application that decisions look at. Writes go to the object as it was read, so that
//! what is not modelled here survives.

use std::{collections::BTreeMap, fmt};

use api_kinds::annotations;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Asks Argo CD to compare again from scratch; it takes the annotation away when it has begun.
pub(super) const REFRESH: &str = "argocd.argoproj.io/refresh";

/// Which Application.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApplicationName {
    pub namespace: String,
    pub name: String,
}

impl fmt::Display for ApplicationName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

/// An Application.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Application {
    pub metadata: Metadata,
    pub spec: Spec,
    /// What Argo CD has been asked to do and has not begun.
    pub operation: Option<Operation>,
    pub status: Status,
    /// The object as it was read.
    #[serde(skip)]
    pub object: Value,
}

/// Who an Application is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    pub name: String,
    pub namespace: String,
    pub uid: String,
    pub resource_version: String,
    pub labels: BTreeMap<String, String>,
    pub annotations: BTreeMap<String, String>,
}

/// What an Application wants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Spec {
    pub source: Option<Source>,
    pub sources: Vec<Source>,
    pub sync_policy: Option<SyncPolicy>,
}

/// Where manifests come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    #[serde(rename = "repoURL")]
    pub repo_url: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub chart: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target_revision: String,
}

/// How an Application is synced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncPolicy {
    pub sync_options: Option<Value>,
    pub retry: Option<Value>,
}

/// A request to Argo CD.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Operation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initiated_by: Option<InitiatedBy>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub info: Vec<Info>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<SyncRequest>,
}

/// Who made a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InitiatedBy {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub username: String,
    #[serde(skip_serializing_if = "is_false")]
    pub automated: bool,
}

/// What is to be synced. Manifests and lists of resources, which can be large, are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncRequest {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub revision: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sync_options: Vec<String>,
}

/// A remark on a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Info {
    pub name: String,
    pub value: String,
}

/// How an Application is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    pub health: Health,
    pub sync: Sync,
    pub reconciled_at: Option<String>,
    pub conditions: Vec<Condition>,
    pub operation_state: Option<OperationState>,
}

/// How the resources of an Application are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Health {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// Whether the resources of an Application are what its sources say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Sync {
    pub status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub revision: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<String>,
}

/// Something Argo CD has to say about an Application.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    pub r#type: String,
    pub message: String,
}

/// How the last request went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OperationState {
    pub operation: Operation,
    pub phase: Phase,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_result: Option<SyncResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
}

/// How far a request is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String")]
pub enum Phase {
    // From bad to good, as several are summed up.
    Failed,
    Error,
    #[default]
    Running,
    Terminating,
    Succeeded,
}

impl From<String> for Phase {
    fn from(text: String) -> Self {
        match text.as_str() {
            "Failed" => Self::Failed,
            "Error" => Self::Error,
            "Terminating" => Self::Terminating,
            "Succeeded" => Self::Succeeded,
            _ => Self::Running,
        }
    }
}

/// What a sync arrived at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncResult {
    pub revision: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
}

impl Application {
    /// Reads an Application.
    pub fn read(object: Value) -> Result<Self, serde_json::Error> {
        let application = Self::deserialize(&object)?;
        Ok(Self { object, ..application })
    }

    /// Only what decisions look at: thousands are kept in memory.
    #[must_use]
    pub fn reduced(mut self) -> Self {
        let keeps = |key: &str| matches!(key, REFRESH | annotations::AUTHORIZED_STAGE);
        self.metadata.annotations.retain(|key, _| keeps(key));
        self.object = Value::Null;
        self
    }

    /// Which one it is.
    pub fn name(&self) -> ApplicationName {
        let Metadata { namespace, name, .. } = self.metadata.clone();
        ApplicationName { namespace, name }
    }

    /// Its sources; several win where both forms exist.
    pub fn sources(&self) -> &[Source] {
        if self.spec.sources.is_empty() { self.spec.source.as_slice() } else { &self.spec.sources }
    }

    /// `namespace/name`.
    pub fn key(&self) -> String {
        format!("{}/{}", self.metadata.namespace, self.metadata.name)
    }

    /// When its last request ended.
    pub fn finished_at(&self) -> Option<&str> {
        self.status.operation_state.as_ref()?.finished_at.as_deref()
    }

    /// Whether what it says of its health is older than its last operation. Times are of one clock and one
    /// form, so that their texts compare; equal ones are trusted.
    pub fn is_stale(&self) -> bool {
        let reconciled = self.status.reconciled_at.as_deref();
        self.finished_at().is_some_and(|finished| reconciled.is_none_or(|it| it < finished))
    }

    /// What makes all work on it futile until its owner acts.
    pub fn error_conditions(&self) -> impl Iterator<Item = &Condition> {
        let is_error = |kind: &str| matches!(kind, "ComparisonError" | "InvalidSpecError");
        self.status.conditions.iter().filter(move |condition| is_error(&condition.r#type))
    }
}

impl Operation {
    /// The Promotion that asked for it.
    pub fn promotion(&self) -> Option<&str> {
        let mine = self.info.iter().find(|info| info.name == annotations::PROMOTION);
        mine.map(|info| info.value.as_str())
    }
}

impl Phase {
    /// Whether nothing more will happen.
    pub fn is_finished(self) -> bool {
        matches!(self, Self::Failed | Self::Error | Self::Succeeded)
    }
}

impl Sync {
    /// The revisions, one per source.
    pub fn revisions(&self) -> Vec<&str> {
        one_or_several(&self.revision, &self.revisions)
    }
}

impl SyncResult {
    /// The revisions, one per source.
    pub fn revisions(&self) -> Vec<&str> {
        one_or_several(&self.revision, &self.revisions)
    }
}

fn one_or_several<'a>(one: &'a str, several: &'a [String]) -> Vec<&'a str> {
    if several.is_empty() { vec![one] } else { several.iter().map(String::as_str).collect() }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !flag
}
