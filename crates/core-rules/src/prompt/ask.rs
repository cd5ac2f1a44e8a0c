//! What a step asks.

use api_kinds::{Promotion, promotion::PromotionPhase};
use api_rest::body::ResponderRule;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ResponseError;
use crate::{admission::metadata::name, step::step_alias};

/// The member of a waiting step's output that holds what it asks.
pub const PROMPT: &str = "prompt";

/// What a step asks, and whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// Who may answer; without rules everybody who may see the Promotion.
    #[serde(default)]
    pub rules: Vec<ResponderRule>,
    /// What it asks.
    #[serde(flatten)]
    pub ask: Ask,
}

/// What a step asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Ask {
    /// Whether to go on.
    Approval {
        /// How many people must approve.
        min_approvals: u32,
    },
    /// Values.
    Input {
        /// What people are told.
        #[serde(default)]
        display: String,
        /// The JSON Schema of the values.
        schema: Value,
    },
}

/// What a step of a Promotion asks now.
pub fn prompt_of(promotion: &Promotion, alias: &str) -> Result<Prompt, ResponseError> {
    let mut steps = promotion.spec.steps.iter().enumerate();
    if !steps.any(|(index, step)| step_alias(step, index) == alias) {
        let promotion = name(&promotion.metadata).to_owned();
        return Err(ResponseError::NoStep { promotion, step: alias.to_owned() });
    }
    waiting(promotion, alias).ok_or_else(|| ResponseError::NotWaiting { step: alias.to_owned() })
}

fn waiting(promotion: &Promotion, alias: &str) -> Option<Prompt> {
    let status = &promotion.status;
    let records = &status.step_execution_metadata;
    let record = records.iter().rev().find(|record| record.alias == alias)?;
    // A step whose look at the answers went wrong is tried again, and still waits.
    if status.phase != PromotionPhase::Running || record.finished_at.is_some() {
        return None;
    }
    let state = Value::from(status.state.as_ref()?);
    // Another step may put out a member of this name; it is not read as a prompt.
    serde_json::from_value(state.get(alias)?.get(PROMPT)?.clone()).ok()
}
