//! Whether Freight may enter Stages, and why not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which Freight and which Stages; none means all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EligibilityRequest {
    /// Names or aliases of Freight.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub freight: Vec<String>,
    /// Names of Stages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<String>,
}

/// One answer for each piece of Freight and each Stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EligibilityResponse {
    /// The answers, by Stage, then by Freight, in the order of the request.
    pub items: Vec<Eligibility>,
}

/// Whether one piece of Freight may enter one Stage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Eligibility {
    /// The name of the Stage.
    pub stage: String,
    /// The name of the Freight.
    pub freight: String,
    /// Whether it may.
    pub allowed: bool,
    /// When the answer changes by the passing of time alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes_at: Option<String>,
    /// What was looked at, in the order in which a person would.
    pub checks: Vec<EligibilityCheck>,
}

/// One reason for or against.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct EligibilityCheck {
    /// What was looked at.
    pub name: String,
    /// `passed`, `refused` or `not needed`.
    pub verdict: String,
    /// The finding in words.
    pub reason: String,
    /// When the verdict changes by the passing of time alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes_at: Option<String>,
}
