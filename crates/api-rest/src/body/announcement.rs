//! What operators want everybody to know.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is to be told now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AnnouncementsResponse {
    /// The most severe first, then by name.
    pub items: Vec<Announcement>,
}

/// One thing to be told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Announcement {
    /// What it is called, for interfaces that let people put it away.
    pub name: String,
    /// How much it matters.
    pub severity: Severity,
    /// The text.
    pub message: String,
    /// Where more is said, an address of the web.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Since when it holds, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// When it ends, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// How much an announcement matters, the most first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something is broken.
    Critical,
    /// Something will need care.
    Warning,
    /// Good to know.
    #[default]
    Info,
}
