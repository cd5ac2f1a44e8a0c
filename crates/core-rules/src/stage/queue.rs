//! The queue of a Stage: one Promotion at a time, the oldest first.

use api_kinds::Promotion;
use api_kinds::collection::{FreightCollection, FreightReference};
use api_kinds::condition::{reasons::stage as reasons, types};
use api_kinds::promotion::PromotionPhase;
use api_kinds::stage::{PromotionReference, StageStatus};

use super::bringer::{ending, recorded_ending};
use super::effect::Effect;
use super::plan::{Entrance, Plan};
use super::wake::Wake;
use super::world::World;
use super::{current_collection, health, holds, record_collections};
use crate::gate::{Passage, passage};
use crate::promotion::{compare_in_queue, reference};
use crate::wire_time::from_wire;

/// Takes note of every Promotion that ended since the last pass, in the order in which they did. That
/// need not be the order in which they were created: one that waits can be aborted at any time. One
/// that runs has the turn, even if the Stage forgot.
pub(super) fn acknowledge(world: &World<'_>, plan: &mut Plan) {
    let mut ended: Vec<&Promotion> =
        world.queued().filter(|promotion| is_news(&plan.status, promotion)).collect();
    ended.sort_by(|a, b| ending(a).cmp(&ending(b)));
    holds::settle(world, plan, &ended);
    for promotion in ended {
        take_note(plan, promotion);
    }
    let is_there = |current: &PromotionReference| {
        waiting(world).any(|promotion| promotion.metadata.name.as_ref() == Some(&current.name))
    };
    if !plan.status.current_promotion.as_ref().is_some_and(is_there) {
        plan.status.current_promotion = None;
    }
    if let Some(running) = first(world).filter(|first| is_running(first)) {
        begin(world, plan, running);
    }
}

/// Whose turn it would be if nobody had it.
fn first<'a>(world: &World<'a>) -> Option<&'a Promotion> {
    waiting(world).min_by(|a, b| compare_in_queue(a, b))
}

fn is_running(promotion: &Promotion) -> bool {
    promotion.status.phase == PromotionPhase::Running
}

/// What was under way and ended is news whenever it ended; anything else if it ended later than what
/// the Stage knows to have ended last.
fn is_news(status: &StageStatus, promotion: &Promotion) -> bool {
    let current = status.current_promotion.as_ref().map(|current| &current.name);
    promotion.status.phase.is_terminal()
        && (current == promotion.metadata.name.as_ref() || is_later(status, promotion))
}

fn is_later(status: &StageStatus, promotion: &Promotion) -> bool {
    status.last_promotion.as_ref().is_none_or(|last| ending(promotion) > recorded_ending(last))
}

fn take_note(plan: &mut Plan, promotion: &Promotion) {
    if is_later(&plan.status, promotion) {
        let last = reference_to(promotion, current_collection(&plan.status));
        plan.status.last_promotion = Some(last);
    }
    let arrived = promotion.status.freight_collection.clone();
    if let (PromotionPhase::Succeeded, Some(arrived)) = (&promotion.status.phase, arrived) {
        hold(plan, arrived);
    }
}

/// The Stage holds something new, of which nothing is known yet.
pub(super) fn hold(plan: &mut Plan, arrived: FreightCollection) {
    record_collections(&mut plan.status.freight_history, [without_verifications(arrived)]);
    plan.status.health = None;
    plan.is_unknown(types::HEALTHY, reasons::WAITING_FOR_HEALTH_CHECK, "");
    plan.is_unknown(types::VERIFIED, reasons::WAITING_FOR_VERIFICATION, "");
}

/// A Promotion that never began leaves the Stage with what it holds, and says so: whoever looks at the
/// last Promotion for Freight of other origins finds it there.
fn reference_to(promotion: &Promotion, held: Option<&FreightCollection>) -> PromotionReference {
    let mut status = promotion.status.clone();
    if status.started_at.is_none() && status.freight_collection.is_none() {
        status.freight_collection = held.cloned().map(without_verifications);
    }
    PromotionReference {
        finished_at: status.finished_at.clone(),
        freight: status.freight.clone(),
        name: promotion.metadata.name.clone().unwrap_or_default(),
        status: Some(status),
    }
}

fn without_verifications(collection: FreightCollection) -> FreightCollection {
    FreightCollection { verification_history: Vec::new(), ..collection }
}

/// Those whose turn it is or will be. One that is being deleted never ends; nobody waits for it.
pub(super) fn waiting<'a>(world: &World<'a>) -> impl Iterator<Item = &'a Promotion> + use<'a> {
    world.queued().filter(|promotion| {
        !promotion.status.phase.is_terminal() && promotion.metadata.deletion_timestamp.is_none()
    })
}

/// Lets the next Promotion begin when it is its turn. Whoever has the turn keeps it.
pub(super) fn select(world: &World<'_>, plan: &mut Plan) {
    let current = plan.status.current_promotion.as_ref().map(|current| current.name.clone());
    let keeps_turn = |promotion: &&Promotion| promotion.metadata.name == current;
    if let Some(current) = waiting(world).find(keeps_turn) {
        begin(world, plan, current);
        return;
    }
    let entrance = entrance(world, plan);
    match (first(world), entrance) {
        (None, entrance) => plan.entrance = entrance,
        (Some(first), Entrance::Free) => begin(world, plan, first),
        (Some(_), entrance) => wait_for(plan, entrance),
    }
}

/// Asks to be woken when what is in the way of the next Promotion may be gone.
pub(super) fn wait_for(plan: &mut Plan, entrance: Entrance) {
    match entrance {
        Entrance::Unmarked => plan.wake(Wake::Now { reason: "Freight has to say where it is" }),
        Entrance::Closed { opens_at: Some(time) } => {
            plan.wake(Wake::At { time, reason: "the next Promotion waits for verification" });
        }
        Entrance::Closed { opens_at: None } | Entrance::Free | Entrance::Taken => {}
    }
}

/// What a Promotion that nobody is ahead of meets. Freight is first let say what the Stage knows of it:
/// once something else is under way, nobody would.
fn entrance(world: &World<'_>, plan: &Plan) -> Entrance {
    if plan.has_marks_to_make() {
        return Entrance::Unmarked;
    }
    if plan.effects.iter().any(|effect| matches!(effect, Effect::StartVerification(_))) {
        return Entrance::Closed { opens_at: None };
    }
    if let Some(window) = world.window.filter(|window| window.closed) {
        return Entrance::Closed { opens_at: window.next_open.as_ref().map(from_wire) };
    }
    match passage(&plan.status, world.settings.verification_grace, plan.now) {
        Passage::Open => Entrance::Free,
        Passage::Closed { opens_at, .. } => Entrance::Closed { opens_at },
    }
}

/// It is this Promotion's turn.
pub(super) fn begin(world: &World<'_>, plan: &mut Plan, promotion: &Promotion) {
    let name = promotion.metadata.name.clone().unwrap_or_default();
    let phase = match &promotion.status.phase {
        PromotionPhase::Unset => &PromotionPhase::Pending,
        phase => phase,
    };
    let message = format!("Promotion {name:?} is currently {phase}");
    plan.is_true(types::PROMOTING, reasons::ACTIVE_PROMOTION, &message);
    let known = plan.status.current_promotion.take().filter(|current| current.name == name);
    let freight = known
        .and_then(|known| known.freight)
        .or_else(|| promotion.status.freight.clone())
        .or_else(|| reference_named(world, promotion));
    plan.status.current_promotion =
        Some(PromotionReference { name, freight, ..PromotionReference::default() });
    plan.entrance = Entrance::Taken;
    health::in_progress(plan);
}

fn reference_named(world: &World<'_>, promotion: &Promotion) -> Option<FreightReference> {
    world.freight_named(&promotion.spec.freight).map(|freight| reference(freight))
}
