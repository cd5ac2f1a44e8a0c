//! Subscriptions to Helm charts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::omit::is_zero;

/// Settings of a subscription to the versions of a Helm chart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ChartSubscription {
    /// URL of the chart repository, or of the chart itself in an OCI registry.
    #[serde(rename = "repoURL")]
    #[schemars(length(min = 1))]
    pub repo_url: String,
    /// How many versions to find at most; 0 stands for the default.
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(range(min = 1, max = 100), extend("x-kargo-default" = 20))]
    pub discovery_limit: i32,
    /// Whether to accept any certificate.
    #[serde(rename = "insecureSkipTLSVerify", skip_serializing_if = "is_zero")]
    pub insecure_skip_tls_verify: bool,
    /// Name of the chart. Must be empty for OCI registries, whose URL includes it.
    #[serde(skip_serializing_if = "is_zero")]
    pub name: String,
    /// Constraint that versions must meet.
    #[serde(skip_serializing_if = "is_zero")]
    pub semver_constraint: String,
}
