//! Approval of Freight for a Stage, past verification and soak.

use api_kinds::{Freight, Stage};
use core_clock::Time;
use serde_json::{Value, json};

use super::COMPONENT;
use super::error::ActionError;
use crate::admission::metadata::name;
use crate::event::{self, Event};
use crate::stage::requests_from;

/// An approval to write and to tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Approval {
    /// The merge patch of the Freight's status.
    pub patch: Value,
    /// What is told.
    pub event: Event,
}

/// Approves Freight for a Stage; `None` when it is approved already.
pub fn approve(
    freight: &Freight,
    stage: &Stage,
    actor: &str,
    now: Time,
) -> Result<Option<Approval>, ActionError> {
    let stage_name = name(&stage.metadata);
    if requests_from(stage, &freight.origin).next().is_none() {
        let (stage, origin) = (stage_name.to_owned(), freight.origin.clone());
        return Err(ActionError::OriginNotRequested { stage, origin });
    }
    if freight.status.approved_for.contains_key(stage_name) {
        return Ok(None);
    }
    let approved = json!({"approvedAt": now.to_rfc3339_seconds()});
    let patch = json!({"status": {"approvedFor": {stage_name: approved}}});
    let event = event::freight_approved(freight, stage_name, actor);
    Ok(Some(Approval { patch, event: Event { component: COMPONENT.into(), ..event } }))
}
