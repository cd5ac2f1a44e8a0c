//! Deep links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The links of an object, and what is wrong with the definitions of others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Links {
    /// Those that apply.
    pub links: Vec<ResolvedLink>,
    /// Definitions that cannot be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

/// A link to another system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ResolvedLink {
    /// What it is called.
    pub title: String,
    /// Where it leads.
    pub url: String,
    /// What is there.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
}
