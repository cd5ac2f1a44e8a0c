//! What the caller may do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The questions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AccessReviewRequest {
    /// At most 100.
    pub items: Vec<AccessQuestion>,
}

/// Something that the caller may want to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AccessQuestion {
    /// For example `get` or `promote`.
    pub verb: String,
    /// The API group; that of Kargo when it is absent, the core group when it is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The plural of the kind.
    pub resource: String,
    /// For example `status`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subresource: String,
    /// The Project; empty for objects of the installation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub project: String,
    /// One object; empty for all.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// The answers, in the order of the questions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AccessReviewResponse {
    /// The answers.
    pub items: Vec<AccessAnswer>,
}

/// A question and its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AccessAnswer {
    /// What was asked.
    #[serde(flatten)]
    pub question: AccessQuestion,
    /// Whether the caller may.
    pub allowed: bool,
    /// Why not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}
