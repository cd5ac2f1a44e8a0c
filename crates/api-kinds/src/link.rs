//! Links that the UI shows beside Freight and Stages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::omit::is_zero;

/// A link to another system, built from an expression for each object it is shown on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DeepLink {
    /// Text that says where the link leads, shown as a hint.
    #[serde(skip_serializing_if = "is_zero")]
    pub description: String,
    /// Expression that decides whether the link is shown. Empty means always.
    #[serde(skip_serializing_if = "is_zero")]
    pub r#if: String,
    /// Text of the link.
    #[schemars(length(min = 1))]
    pub title: String,
    /// Address of the link; may contain expressions between `${{` and `}}`.
    #[schemars(length(min = 1))]
    pub url: String,
}
