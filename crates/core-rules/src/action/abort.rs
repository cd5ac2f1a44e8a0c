//! Requests that are left in annotations: abort, verify again.

use api_kinds::verification::VerificationInfo;
use api_kinds::{Promotion, Stage, annotations};
use serde_json::{Value, json};

use super::error::ActionError;
use crate::request::{AbortRequest, VerificationRequest};
use crate::stage::current_collection;

/// The merge patch that asks to abort a Promotion; `None` when it has ended.
pub fn abort_promotion(promotion: &Promotion, actor: &str) -> Option<Value> {
    if promotion.status.phase.is_terminal() {
        return None;
    }
    Some(annotate(annotations::ABORT, &terminate(actor)))
}

/// The merge patch that asks to abort what verifies a Stage's Freight; `None` when it has ended.
pub fn abort_verification(stage: &Stage, actor: &str) -> Result<Option<Value>, ActionError> {
    let verification = current_verification(stage)?;
    if verification.phase.is_terminal() {
        return Ok(None);
    }
    Ok(Some(annotate(annotations::ABORT, &request(verification, actor))))
}

/// The merge patch that asks to verify a Stage's Freight once more.
pub fn reverify(stage: &Stage, actor: &str) -> Result<Value, ActionError> {
    let verification = current_verification(stage)?;
    Ok(annotate(annotations::REVERIFY, &request(verification, actor)))
}

/// The newest verification of what the Stage holds.
fn current_verification(stage: &Stage) -> Result<&VerificationInfo, ActionError> {
    let collection = current_collection(&stage.status).ok_or(ActionError::NoFreight)?;
    if collection.freight.is_empty() {
        return Err(ActionError::NoFreight);
    }
    let verification =
        collection.verification_history.first().ok_or(ActionError::NoVerification)?;
    if verification.id.is_empty() {
        return Err(ActionError::NoVerificationId);
    }
    Ok(verification)
}

fn terminate(actor: &str) -> String {
    let action = annotations::ABORT_ACTION_TERMINATE.to_owned();
    AbortRequest { action, actor: actor.to_owned(), control_plane: false }.to_annotation()
}

fn request(verification: &VerificationInfo, actor: &str) -> String {
    let request = VerificationRequest {
        id: verification.id.clone(),
        actor: actor.to_owned(),
        control_plane: false,
    };
    request.to_annotation()
}

fn annotate(key: &str, value: &str) -> Value {
    json!({"metadata": {"annotations": {key: value}}})
}
