//! What happens to Freight.

use api_kinds::{
    Freight, Stage,
    verification::{VerificationInfo, VerificationPhase},
};

use super::{Event, payload::Payload};
use crate::{
    actor::controller_actor,
    admission::metadata::{name, namespace},
};

/// Somebody approved Freight for a Stage.
pub fn freight_approved(freight: &Freight, stage: &str, actor: &str) -> Event {
    let message = format!("Freight approved for Stage {stage:?} by {actor:?}");
    let payload = payload(freight, stage, actor);
    event(freight, "FreightApproved", message, "freight-webhook", payload)
}

/// Freight was created. No Stage is concerned, and the payload says so.
pub fn freight_created(freight: &Freight, message: &str, component: &str, actor: &str) -> Event {
    let payload = payload(freight, "", actor);
    event(freight, "FreightCreated", message.to_owned(), component, payload)
}

/// The verification of Freight in a Stage ended. `promotion` is what led to its AnalysisRun.
pub fn freight_verification(
    freight: &Freight,
    stage: &Stage,
    verification: &VerificationInfo,
    promotion: Option<&str>,
    component: &str,
) -> Event {
    let actor = match verification.actor.as_str() {
        "" => controller_actor(component),
        actor => actor.to_owned(),
    };
    let mut payload = payload(freight, name(&stage.metadata), &actor);
    payload.put_time("verification-start-time", verification.start_time.as_ref());
    payload.put_time("verification-finish-time", verification.finish_time.as_ref());
    if let Some(run) = &verification.analysis_run {
        payload.put_if_any("analysis-run-name", &run.name);
    }
    payload.put_if_any("promotion-name", promotion.unwrap_or_default());
    let (reason, message) = match verification.phase {
        VerificationPhase::Successful => {
            ("FreightVerificationSucceeded", "Freight verification succeeded")
        }
        VerificationPhase::Failed => ("FreightVerificationFailed", verification.message.as_str()),
        VerificationPhase::Error => ("FreightVerificationErrored", verification.message.as_str()),
        VerificationPhase::Aborted => ("FreightVerificationAborted", verification.message.as_str()),
        VerificationPhase::Inconclusive => {
            ("FreightVerificationInconclusive", verification.message.as_str())
        }
        _ => ("FreightVerificationUnknown", verification.message.as_str()),
    };
    event(freight, reason, message.to_owned(), component, payload)
}

fn payload(freight: &Freight, stage: &str, actor: &str) -> Payload {
    let mut payload = Payload::default();
    payload.put("project", namespace(&freight.metadata));
    payload.put("actor", actor);
    payload.put("stage-name", stage);
    payload.put_freight(freight);
    payload
}

fn event(
    freight: &Freight,
    reason: &'static str,
    message: String,
    component: &str,
    payload: Payload,
) -> Event {
    Event {
        reason,
        message,
        component: component.to_owned().into(),
        kind: "Freight",
        namespace: namespace(&freight.metadata).to_owned(),
        name: name(&freight.metadata).to_owned(),
        annotations: payload.0,
    }
}
