//! What happens to Promotions.

use api_kinds::{
    Freight, Promotion, annotations, origin::FreightOrigin, promotion::PromotionPhase,
};
use api_rest::body::StepResponse;

use super::{
    Event, Teller,
    application::applications,
    payload::{Payload, text_of},
};
use crate::{
    actor::controller_actor,
    admission::metadata::{annotation, name, namespace},
};

/// Somebody created a Promotion.
pub fn promotion_created(
    promotion: &Promotion,
    freight: Option<&Freight>,
    actor: &str,
    teller: &Teller<'_>,
) -> Event {
    let message = format!("Promotion created for Stage {:?} by {actor:?}", promotion.spec.stage);
    let payload = payload(promotion, freight, creator(promotion).unwrap_or(actor), teller);
    event(promotion, "PromotionCreated", message, payload, teller)
}

/// A Stage promoted Freight by itself.
pub fn promotion_automatic(
    promotion: &Promotion,
    freight: Option<&Freight>,
    origin: &FreightOrigin,
    teller: &Teller<'_>,
) -> Event {
    let origin = origin.to_string();
    let stage = &promotion.spec.stage;
    let message =
        format!("Automatically promoted Freight from origin {origin:?} for Stage {stage:?}");
    let payload = payload_by_creator(promotion, freight, teller);
    event(promotion, "PromotionCreated", message, payload, teller)
}

/// A Promotion ended by itself: its status says how. After a success, `verification_pending` says whether
/// the Stage verifies what it got.
pub fn promotion_ended(
    promotion: &Promotion,
    freight: Option<&Freight>,
    verification_pending: bool,
    teller: &Teller<'_>,
) -> Event {
    let status = &promotion.status;
    let mut payload = payload_by_creator(promotion, freight, teller);
    let reason = match status.phase {
        PromotionPhase::Succeeded => {
            let pending = if verification_pending { "true" } else { "false" };
            payload.put("verification-pending", pending);
            "PromotionSucceeded"
        }
        PromotionPhase::Failed => "PromotionFailed",
        _ => "PromotionErrored",
    };
    let phase = status.phase.as_str();
    let message = match status.message.as_str() {
        "" => format!("Promotion {phase}"),
        message => format!("Promotion {phase}: {message}"),
    };
    event(promotion, reason, message, payload, teller)
}

/// Somebody aborted a Promotion; they act, not who created it.
pub fn promotion_aborted(
    promotion: &Promotion,
    freight: Option<&Freight>,
    actor: &str,
    teller: &Teller<'_>,
) -> Event {
    let payload = payload(promotion, freight, actor, teller);
    event(promotion, "PromotionAborted", promotion.status.message.clone(), payload, teller)
}

/// A Promotion that waited was taken out of the queue, for this reason.
pub fn promotion_discarded(
    promotion: &Promotion,
    freight: Option<&Freight>,
    reason: &str,
    teller: &Teller<'_>,
) -> Event {
    let payload = payload_by_creator(promotion, freight, teller);
    event(promotion, "PromotionDiscarded", reason.to_owned(), payload, teller)
}

/// Somebody answered a step that asks people; they act, not who created the Promotion.
pub fn promotion_answered(
    promotion: &Promotion,
    step: &str,
    response: &StepResponse,
    teller: &Teller<'_>,
) -> Event {
    let StepResponse { user, action, message, .. } = response;
    let mut payload = payload(promotion, None, user, teller);
    payload.put("step", step);
    payload.put("response", action);
    let said = if message.is_empty() { String::new() } else { format!(": {message}") };
    let text = format!("Step {step:?} was answered with {action:?} by {user:?}{said}");
    event(promotion, "PromotionAnswered", text, payload, teller)
}

fn creator(promotion: &Promotion) -> Option<&str> {
    annotation(&promotion.metadata, annotations::CREATE_ACTOR)
}

fn payload_by_creator(
    promotion: &Promotion,
    freight: Option<&Freight>,
    teller: &Teller<'_>,
) -> Payload {
    let teller_as_actor = controller_actor(teller.component);
    payload(promotion, freight, creator(promotion).unwrap_or(&teller_as_actor), teller)
}

fn payload(
    promotion: &Promotion,
    freight: Option<&Freight>,
    actor: &str,
    teller: &Teller<'_>,
) -> Payload {
    let metadata = &promotion.metadata;
    let mut payload = Payload::default();
    payload.put("project", namespace(metadata));
    payload.put("actor", actor);
    payload.put("promotion-name", name(metadata));
    let created = metadata.creation_timestamp.as_ref();
    let created = created.map_or_else(|| teller.now.to_rfc3339_seconds(), text_of);
    payload.put("promotion-create-time", &created);
    payload.put("stage-name", &promotion.spec.stage);
    if annotation(metadata, annotations::ROLLBACK) == Some("true") {
        payload.put("rollback", "true");
    }
    payload.put_list("applications", &applications(promotion, freight, teller));
    if let Some(freight) = freight {
        payload.put_freight(freight);
    }
    payload
}

fn event(
    promotion: &Promotion,
    reason: &'static str,
    message: String,
    payload: Payload,
    teller: &Teller<'_>,
) -> Event {
    Event {
        reason,
        message,
        component: teller.component.to_owned().into(),
        kind: "Promotion",
        namespace: namespace(&promotion.metadata).to_owned(),
        name: name(&promotion.metadata).to_owned(),
        annotations: payload.0,
    }
}
