//! The queue of a Stage with Targets: one PromotionRequest at a time, the oldest first.

use api_kinds::PromotionRequest;
use api_kinds::Time as WireTime;
use api_kinds::condition::{reasons::stage as reasons, types};
use api_kinds::promotion_request::PromotionRequestPhase;
use api_kinds::stage::{PromotionRequestFreightReference, PromotionRequestReference, StageStatus};

use super::plan::{Entrance, Plan};
use super::world::World;
use super::{current_collection, health, is_target_aware, queue, upsert_freight};
use crate::promotion::{Sequence, reference};

/// Takes note of every PromotionRequest that ended since the last pass.
pub(super) fn acknowledge(world: &World<'_>, plan: &mut Plan) {
    if !is_target_aware(world.stage) {
        plan.status.current_promotion_request = None;
        return;
    }
    let requests = world.requests.iter().map(AsRef::as_ref);
    let mut ended: Vec<&PromotionRequest> =
        requests.filter(|request| is_news(&plan.status, request)).collect();
    ended.sort_by(|a, b| ending(a).cmp(&ending(b)));
    for request in ended {
        take_note(world, plan, request);
    }
    let is_there = |current: &PromotionRequestReference| {
        waiting(world).any(|request| request.metadata.name.as_ref() == Some(&current.name))
    };
    if !plan.status.current_promotion_request.as_ref().is_some_and(is_there) {
        plan.status.current_promotion_request = None;
    }
}

fn ending(request: &PromotionRequest) -> (Option<&WireTime>, Sequence<'_>) {
    let name = request.metadata.name.as_deref().unwrap_or_default();
    (request.status.finished_at.as_ref(), Sequence::of_name(name))
}

fn is_news(status: &StageStatus, request: &PromotionRequest) -> bool {
    let current = status.current_promotion_request.as_ref().map(|current| &current.name);
    request.status.phase.is_terminal()
        && (current == request.metadata.name.as_ref() || is_later(status, request))
}

fn is_later(status: &StageStatus, request: &PromotionRequest) -> bool {
    status.last_promotion_request.as_ref().is_none_or(|last| {
        ending(request) > (last.finished_at.as_ref(), Sequence::of_name(&last.name))
    })
}

fn take_note(world: &World<'_>, plan: &mut Plan, request: &PromotionRequest) {
    if is_later(&plan.status, request) {
        plan.status.last_promotion_request = Some(reference_to(request));
    }
    if request.status.phase == PromotionRequestPhase::Succeeded {
        receive(world, plan, &request.spec.freight);
    }
}

/// The Stage holds the Freight, with what it holds of the other origins that it asks for.
fn receive(world: &World<'_>, plan: &mut Plan, freight: &str) {
    let Some(freight) = world.freight_named(freight) else { return };
    let mut collection = current_collection(&plan.status).cloned().unwrap_or_default();
    let requested = &world.stage.spec.requested_freight;
    collection
        .freight
        .retain(|origin, _| requested.iter().any(|request| request.origin.to_string() == *origin));
    upsert_freight(&mut collection, [reference(freight)]);
    queue::hold(plan, collection);
}

fn reference_to(request: &PromotionRequest) -> PromotionRequestReference {
    PromotionRequestReference {
        finished_at: request.status.finished_at.clone(),
        freight: Some(PromotionRequestFreightReference { name: request.spec.freight.clone() }),
        name: request.metadata.name.clone().unwrap_or_default(),
        phase: request.status.phase.clone(),
    }
}

fn waiting<'a>(world: &World<'a>) -> impl Iterator<Item = &'a PromotionRequest> + use<'a> {
    world.requests.iter().map(AsRef::as_ref).filter(|request| {
        !request.status.phase.is_terminal() && request.metadata.deletion_timestamp.is_none()
    })
}

/// Lets the next PromotionRequest begin when it is its turn.
pub(super) fn select(world: &World<'_>, plan: &mut Plan) {
    if !is_target_aware(world.stage) {
        return;
    }
    let current = plan.status.current_promotion_request.as_ref().map(|r| r.name.clone());
    let keeps_turn = |request: &&PromotionRequest| request.metadata.name == current;
    if let Some(current) = waiting(world).find(keeps_turn) {
        begin(plan, current);
        return;
    }
    let Some(first) = waiting(world).min_by_key(|request| place(request)) else { return };
    match plan.entrance {
        Entrance::Free => begin(plan, first),
        entrance => queue::wait_for(plan, entrance),
    }
}

/// One that is under way comes first, then the oldest.
fn place(request: &PromotionRequest) -> (bool, Sequence<'_>) {
    let is_waiting = request.status.phase != PromotionRequestPhase::Running;
    (is_waiting, ending(request).1)
}

/// It is this PromotionRequest's turn.
pub(super) fn begin(plan: &mut Plan, request: &PromotionRequest) {
    let mut reference = reference_to(request);
    if reference.phase == PromotionRequestPhase::Unset {
        reference.phase = PromotionRequestPhase::Pending;
    }
    let message = format!("PromotionRequest {:?} is currently {}", reference.name, reference.phase);
    plan.is_true(types::PROMOTING, reasons::ACTIVE_PROMOTION, &message);
    plan.status.current_promotion_request = Some(reference);
    plan.entrance = Entrance::Taken;
    health::in_progress(plan);
}
