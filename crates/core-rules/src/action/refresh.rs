//! Asking for a reconciliation.

use api_kinds::{Stage, annotations};
use core_clock::Time;
use serde_json::{Value, json};

/// The merge patch that asks for a reconciliation of any object. Whoever waits for it looks for the
/// same text in `status.lastHandledRefresh`.
pub fn refresh(now: Time) -> Value {
    json!({"metadata": {"annotations": {annotations::REFRESH: now.to_rfc3339_seconds()}}})
}

/// What a refresh of a Stage consists of.
#[derive(Clone, Debug, PartialEq)]
pub struct StageRefresh {
    /// The merge patch, for the Stage and the Promotion alike.
    pub patch: Value,
    /// The Promotion under way, which is asked too.
    pub promotion: Option<String>,
}

/// Asks for a reconciliation of a Stage and of what it is doing.
pub fn refresh_stage(stage: &Stage, now: Time) -> StageRefresh {
    let promotion = stage.status.current_promotion.as_ref().map(|current| current.name.clone());
    StageRefresh { patch: refresh(now), promotion }
}
