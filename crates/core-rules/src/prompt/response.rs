//! The answers to the steps of a Promotion.

use std::collections::BTreeMap;

use api_kinds::{ObjectMeta, annotations};
use api_rest::body::{ResponderRule, StepResponse};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::rule::is_same;
use crate::admission::metadata::annotation;

/// The action of those who are for it.
pub const APPROVE: &str = "approve";
/// The action of those who are against it.
pub const REJECT: &str = "reject";
/// The action of those who give values.
pub const SUBMIT: &str = "submit";

/// One answer, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Response {
    /// What everybody may see of it.
    #[serde(flatten)]
    pub shown: StepResponse,
    /// The rules that its author met.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<ResponderRule>,
    /// The values, where values were asked for.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub values: Map<String, Value>,
}

/// Answers by the alias of the step, the oldest first.
pub type Responses = BTreeMap<String, Vec<Response>>;

/// The annotation does not hold answers.
#[derive(Debug, thiserror::Error)]
#[error("annotation {} cannot be read", annotations::RESPONSES)]
pub struct UnreadableResponses(#[from] serde_json::Error);

/// All answers to the steps of a Promotion.
pub fn responses_of(promotion: &ObjectMeta) -> Result<Responses, UnreadableResponses> {
    let text = annotation(promotion, annotations::RESPONSES);
    Ok(text.map(serde_json::from_str).transpose()?.unwrap_or_default())
}

impl Response {
    /// Whether its author met the rule.
    pub(super) fn meets(&self, rule: &ResponderRule) -> bool {
        self.rules.iter().any(|met| is_same(met, rule))
    }
}
