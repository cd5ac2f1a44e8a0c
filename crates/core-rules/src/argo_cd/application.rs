//! The parts of an Application that decisions look at. Writes go to the object as it was read, so that
//! what is not modelled here survives.

use std::collections::BTreeMap;

use api_kinds::annotations;
use serde::Deserialize;
use serde_json::Value;

/// An Application.
#[derive(Clone, Debug, Default, Deserialize)]
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    pub name: String,
    pub namespace: String,
    pub uid: String,
    pub resource_version: String,
    pub annotations: BTreeMap<String, String>,
}

/// What an Application wants.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Spec {
    pub source: Option<Source>,
    pub sources: Vec<Source>,
    pub sync_policy: Option<SyncPolicy>,
}

/// Where manifests come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    #[serde(rename = "repoURL")]
    pub repo_url: String,
    pub chart: String,
    pub target_revision: String,
}

/// How an Application is synced.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncPolicy {
    pub sync_options: Option<Value>,
    pub retry: Option<Value>,
}

/// A request to Argo CD.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Operation {
    pub info: Vec<Info>,
    pub sync: Option<Value>,
}

/// A remark on a request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Info {
    pub name: String,
    pub value: String,
}

/// How an Application is.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    pub health: Health,
    pub sync: Sync,
    pub reconciled_at: Option<String>,
    pub conditions: Vec<Condition>,
    pub operation_state: Option<OperationState>,
}

/// How the resources of an Application are.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Health {
    pub status: String,
}

/// Whether the resources of an Application are what its sources say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Sync {
    pub status: String,
}

/// Something Argo CD has to say about an Application.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    pub r#type: String,
    pub message: String,
}

/// How the last request went.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OperationState {
    pub operation: Operation,
    pub phase: Phase,
    pub message: String,
    pub sync_result: Option<SyncResult>,
    pub finished_at: Option<String>,
}

/// How far a request is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SyncResult {
    pub revision: String,
    pub revisions: Vec<String>,
}

impl Application {
    /// Reads an Application.
    pub fn read(object: Value) -> Result<Self, serde_json::Error> {
        let application = Self::deserialize(&object)?;
        Ok(Self { object, ..application })
    }

    /// Its sources; several win where both forms exist.
    pub fn sources(&self) -> &[Source] {
        if self.spec.sources.is_empty() { self.spec.source.as_slice() } else { &self.spec.sources }
    }

    /// `namespace/name`.
    pub fn key(&self) -> String {
        format!("{}/{}", self.metadata.namespace, self.metadata.name)
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

impl SyncResult {
    /// The revisions, one per source.
    pub fn revisions(&self) -> Vec<&str> {
        if self.revisions.is_empty() {
            vec![&self.revision]
        } else {
            self.revisions.iter().map(String::as_str).collect()
        }
    }
}
