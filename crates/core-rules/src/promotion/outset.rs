//! What a Promotion sets out with, and what it leaves behind.

use api_kinds::{
    Freight, Promotion, Stage,
    collection::{FreightCollection, FreightReference},
    promotion::{PromotionPhase, PromotionStatus},
};
use core_clock::Time;

use crate::{
    admission::metadata::name,
    request::VerificationRequest,
    stage::{current_collection, includes_freight, upsert_freight},
    wire_time::to_wire,
};

/// The status of a Promotion whose steps begin now: which Freight it moves, and all that the Stage will hold.
/// What an earlier process wrote down stays.
pub fn outset(
    promotion: &Promotion,
    stage: &Stage,
    freight: &Freight,
    now: Time,
) -> PromotionStatus {
    let mut status = promotion.status.clone();
    status.phase = PromotionPhase::Running;
    status.started_at.get_or_insert_with(|| to_wire(now));
    let piece = status.freight.get_or_insert_with(|| reference(freight)).clone();
    status.freight_collection.get_or_insert_with(|| collection(stage, piece));
    status
}

/// The request to verify again what the Stage holds already, after it was promoted once more.
pub fn reverification(status: &PromotionStatus, stage: &Stage) -> Option<VerificationRequest> {
    let freight = status.freight.as_ref()?;
    let held = current_collection(&stage.status)?;
    let newest = held.verification_history.first()?;
    let is_held =
        status.phase == PromotionPhase::Succeeded && includes_freight(held, &freight.name);
    (is_held && !newest.id.is_empty())
        .then(|| VerificationRequest { id: newest.id.clone(), ..VerificationRequest::default() })
}

/// A copy of Freight as statuses keep it.
pub fn reference(freight: &Freight) -> FreightReference {
    FreightReference {
        artifacts: freight.artifacts.clone(),
        charts: freight.charts.clone(),
        commits: freight.commits.clone(),
        images: freight.images.clone(),
        name: name(&freight.metadata).to_owned(),
        origin: freight.origin.clone(),
    }
}

/// What the Stage will hold: the piece, and of other origins that it asks for what it holds now.
fn collection(stage: &Stage, piece: FreightReference) -> FreightCollection {
    let requests = &stage.spec.requested_freight;
    let held = current_collection(&stage.status).filter(|_| requests.len() > 1);
    let others = held.into_iter().flat_map(|held| {
        requests.iter().filter_map(|request| held.freight.get(&request.origin.to_string()))
    });
    let mut collection = FreightCollection::default();
    upsert_freight(&mut collection, others.cloned().chain([piece]));
    collection
}
