//! Health of what a Stage manages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{json, omit::is_zero, string_enum::string_enum};

/// Health of what a Stage manages, merged from all its health checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Health {
    /// Configuration of the checks that led to the result.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "json::any")]
    pub config: Option<Value>,
    /// What is wrong, one entry per finding.
    #[serde(skip_serializing_if = "is_zero")]
    pub issues: Vec<String>,
    /// What the checks reported in detail.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "json::any")]
    pub output: Option<Value>,
    /// The overall state: Healthy, NotApplicable, Progressing, Unknown, or Unhealthy.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: HealthState,
}

string_enum! {
    /// State of health.
    open HealthState {
        /// All is well.
        Healthy = "Healthy",
        /// There is nothing to check.
        NotApplicable = "NotApplicable",
        /// A change is being rolled out.
        Progressing = "Progressing",
        /// The state could not be determined.
        Unknown = "Unknown",
        /// Something is wrong.
        Unhealthy = "Unhealthy",
    }
}

/// A health check that a Promotion asks the Stage to repeat from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HealthCheckStep {
    /// Configuration of the check, in the form its kind expects.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(schema_with = "json::any")]
    pub config: Option<Value>,
    /// Kind of check.
    #[schemars(length(min = 1))]
    pub uses: String,
}
