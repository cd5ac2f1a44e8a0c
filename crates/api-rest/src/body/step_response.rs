//! Steps that ask people, and what people answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An answer to a step that waits for one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RespondRequest {
    /// `approve` or `reject` where a step asks for approval, `submit` where it asks for values.
    pub action: String,
    /// A word to those who read it later.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The values that the step asks for.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub values: Map<String, Value>,
}

/// Who may answer: those with this value of a claim, or those with this role of the Project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ResponderRule {
    /// A claim of the login.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub claim: String,
    /// The value of the claim, or one of its values.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// A role of the Project.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Whether nothing goes on before one of those approved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// One answer that was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StepResponse {
    /// Who answered.
    pub user: String,
    /// `approve`, `reject` or `submit`.
    pub action: String,
    /// When, as RFC 3339 has it.
    pub time: String,
    /// What they said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// What a step waits for, and whether the caller may answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StepPrompt {
    /// `approval` or `input`.
    pub kind: String,
    /// What people are told.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub display: String,
    /// The JSON Schema of the values that are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// Who may answer; without rules everybody who may see the Promotion.
    pub rules: Vec<ResponderRule>,
    /// How many people must approve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_approvals: Option<u32>,
    /// The answers so far, in the order in which they came.
    pub responses: Vec<StepResponse>,
    /// Whether the caller may answer.
    pub can_respond: bool,
    /// Why not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}
