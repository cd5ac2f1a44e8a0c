//! Verification of Freight: how a Stage asks for it, and how it went.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{omit::is_zero, string_enum::string_enum};

/// How to verify Freight after it was promoted to a Stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Verification {
    /// Labels and annotations for the AnalysisRuns.
    #[serde(skip_serializing_if = "is_zero")]
    pub analysis_run_metadata: Option<AnalysisRunMetadata>,
    /// The templates whose metrics an AnalysisRun combines.
    #[serde(skip_serializing_if = "is_zero")]
    pub analysis_templates: Vec<AnalysisTemplateReference>,
    /// Arguments for the templates.
    #[serde(skip_serializing_if = "is_zero")]
    pub args: Vec<AnalysisRunArgument>,
}

/// Labels and annotations for AnalysisRuns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AnalysisRunMetadata {
    /// Annotations to add.
    #[serde(skip_serializing_if = "is_zero")]
    pub annotations: BTreeMap<String, String>,
    /// Labels to add.
    #[serde(skip_serializing_if = "is_zero")]
    pub labels: BTreeMap<String, String>,
}

/// Names an AnalysisTemplate or a ClusterAnalysisTemplate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AnalysisTemplateReference {
    /// Kind of the template: AnalysisTemplate, in the Stage's namespace and the default, or
    /// ClusterAnalysisTemplate.
    #[serde(skip_serializing_if = "is_zero")]
    pub kind: AnalysisTemplateKind,
    /// Name of the template.
    pub name: String,
}

string_enum! {
    /// Kinds of analysis template; unset means AnalysisTemplate.
    listed AnalysisTemplateKind {
        /// A template in the Stage's namespace.
        AnalysisTemplate = "AnalysisTemplate",
        /// A template for the whole cluster.
        ClusterAnalysisTemplate = "ClusterAnalysisTemplate",
    }
}

/// An argument for analysis templates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AnalysisRunArgument {
    /// Name of the argument.
    pub name: String,
    /// Value of the argument; may contain expressions between `${{` and `}}`.
    pub value: String,
}

/// One attempt to verify a collection of Freight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct VerificationInfo {
    /// Who asked for the attempt, when it was not the system.
    #[serde(skip_serializing_if = "is_zero")]
    pub actor: String,
    /// The AnalysisRun that carries the attempt out, if there is one.
    #[serde(skip_serializing_if = "is_zero")]
    pub analysis_run: Option<AnalysisRunReference>,
    /// When the attempt ended.
    #[serde(skip_serializing_if = "is_zero")]
    pub finish_time: Option<Time>,
    /// Identifies the attempt. Requests to repeat or abort it name this id.
    #[serde(skip_serializing_if = "is_zero")]
    pub id: String,
    /// Explanation of the phase, for people.
    #[serde(skip_serializing_if = "is_zero")]
    pub message: String,
    /// How far the attempt is: Pending, Running, Successful, Failed, Error, Aborted, or
    /// Inconclusive.
    #[serde(skip_serializing_if = "is_zero")]
    pub phase: VerificationPhase,
    /// When the attempt began.
    #[serde(skip_serializing_if = "is_zero")]
    pub start_time: Option<Time>,
}

/// Names an AnalysisRun.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AnalysisRunReference {
    /// Name of the AnalysisRun.
    pub name: String,
    /// Namespace of the AnalysisRun.
    pub namespace: String,
    /// Phase of the AnalysisRun when it was last looked at.
    pub phase: String,
}

string_enum! {
    /// How far a verification is.
    open VerificationPhase {
        /// Waiting to run.
        Pending = "Pending",
        /// Running.
        Running = "Running",
        /// Ended: the Freight is good.
        Successful = "Successful",
        /// Ended: the Freight is not good.
        Failed = "Failed",
        /// Ended: it could not be carried out.
        Error = "Error",
        /// Ended on request.
        Aborted = "Aborted",
        /// Ended without a verdict.
        Inconclusive = "Inconclusive",
    }
}

impl VerificationPhase {
    /// Whether nothing more will happen: every phase but Pending and Running.
    pub fn is_terminal(&self) -> bool {
        !matches!(self, Self::Pending | Self::Running)
    }
}
