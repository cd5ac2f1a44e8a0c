//! What holds of every plan, whatever the world. Tests and simulation ask after each pass.

use api_kinds::condition::types;
use api_kinds::promotion::PromotionPhase;
use api_kinds::verification::VerificationPhase;

use super::bringer::recorded_ending;
use super::effect::{Creation, Effect, FreightChange};
use super::history::is_under_way;
use super::plan::Plan;
use super::world::World;
use super::{current_collection, has_verification_under_way, includes_freight, is_control_flow};
use super::{is_target_aware, queue};
use crate::condition;
use crate::gate::{Arrival, Availability, availability};

const MAX_HISTORY: usize = 10;

/// What is wrong with a plan: nothing, unless there is a mistake in the rules.
pub fn check(world: &World<'_>, plan: &Plan) -> Vec<String> {
    let checks = [
        the_turn,
        what_is_created,
        what_freight_says,
        the_histories,
        the_holds,
        the_last_promotion,
        readiness,
    ];
    checks.iter().flat_map(|check| check(world, plan)).collect()
}

/// One Promotion at most has the turn: one that exists and has not ended, and the one that runs if any
/// does. Nobody gets it while what the Stage holds is being verified.
fn the_turn(world: &World<'_>, plan: &Plan) -> Vec<String> {
    let Some(current) = &plan.status.current_promotion else { return Vec::new() };
    let name = &current.name;
    let mut wrong = Vec::new();
    let mut waiting = queue::waiting(world);
    let known = waiting.find(|promotion| promotion.metadata.name.as_ref() == Some(name));
    let is_created =
        plan.created.iter().any(|(_, created)| created.metadata.name.as_ref() == Some(name));
    if known.is_none() && !is_created {
        wrong.push(format!("Promotion {name:?} has the turn and is not there, or has ended"));
    }
    let is_running = known.is_some_and(|own| own.status.phase == PromotionPhase::Running);
    let mut others = queue::waiting(world);
    if !is_running && others.any(|other| other.status.phase == PromotionPhase::Running) {
        wrong.push(format!("Promotion {name:?} has the turn while another one runs"));
    }
    let before = world.stage.status.current_promotion.as_ref().map(|before| &before.name);
    let is_verifying = current_collection(&plan.status).is_some_and(has_verification_under_way);
    if before != Some(name) && !is_running && is_verifying {
        wrong.push(format!("Promotion {name:?} begins before verification has ended"));
    }
    wrong
}

/// Nothing is promoted by itself that the gate refuses, that is held or that is there.
fn what_is_created(world: &World<'_>, plan: &Plan) -> Vec<String> {
    let mut wrong = Vec::new();
    for effect in &plan.effects {
        let (creation, is_request) = match effect {
            Effect::CreatePromotion(creation) => (creation, false),
            Effect::CreatePromotionRequest(creation) => (creation, true),
            _ => continue,
        };
        if is_request != is_target_aware(world.stage) {
            wrong.push(format!("Freight {:?} is promoted the wrong way", creation.freight));
        }
        if let Some(why) = refusal(world, plan, creation) {
            wrong.push(format!("Freight {:?} is promoted although {why}", creation.freight));
        }
    }
    wrong
}

fn refusal(world: &World<'_>, plan: &Plan, creation: &Creation) -> Option<&'static str> {
    if world.policy != Ok(true) {
        return Some("the Stage does not promote by itself");
    }
    let holds = &plan.status.effective_auto_promotion_holds;
    if holds.contains_key(&creation.origin.to_string()) {
        return Some("there is a hold");
    }
    let held = current_collection(&plan.status);
    if held.is_some_and(|held| includes_freight(held, &creation.freight)) {
        return Some("the Stage holds it");
    }
    let Some(freight) = world.freight_named(&creation.freight) else {
        return Some("it is not there");
    };
    let passing_stages = world.passing_stages;
    let arrival = Arrival { freight, stage: world.stage, passing_stages, now: plan.now };
    (availability(&arrival) != Availability::Available).then_some("the gate refuses it")
}

/// Freight is marked as what it is: in the Stage that holds it, verified where that succeeded.
fn what_freight_says(world: &World<'_>, plan: &Plan) -> Vec<String> {
    let held = current_collection(&plan.status);
    let attempts = held.into_iter().flat_map(|held| &held.verification_history);
    let mut ended = attempts.filter(|attempt| !is_under_way(attempt));
    let newest = ended.next().map(|attempt| &attempt.phase);
    let mut wrong = Vec::new();
    for effect in &plan.effects {
        let Effect::UpdateFreight(update) = effect else { continue };
        let is_held = held.is_some_and(|held| includes_freight(held, &update.freight));
        for change in &update.changes {
            let is_right = match change {
                FreightChange::Enter { .. } => is_held,
                FreightChange::Leave { .. } => !is_held,
                FreightChange::Verify { .. } => {
                    is_control_flow(world.stage)
                        || is_held && newest == Some(&VerificationPhase::Successful)
                }
                FreightChange::Unverify => is_held && newest == Some(&VerificationPhase::Failed),
                FreightChange::Forget => false,
            };
            if !is_right {
                wrong.push(format!("Freight {:?} is told {change:?}", update.freight));
            }
        }
    }
    wrong
}

fn the_histories(_: &World<'_>, plan: &Plan) -> Vec<String> {
    let history = &plan.status.freight_history;
    let is_long = history.len() > MAX_HISTORY
        || history.iter().any(|held| held.verification_history.len() > MAX_HISTORY);
    is_long.then(|| "a history is too long".to_owned()).into_iter().collect()
}

fn the_holds(world: &World<'_>, plan: &Plan) -> Vec<String> {
    let requests = &world.stage.spec.requested_freight;
    let is_requested =
        |origin: &String| requests.iter().any(|request| request.origin.to_string() == *origin);
    let status = &plan.status;
    let holds = status.auto_promotion_holds.keys();
    let mut holds = holds.chain(status.effective_auto_promotion_holds.keys());
    let is_disabled = world.policy == Ok(false) || is_control_flow(world.stage);
    let stray = holds.find(|origin| is_disabled || !is_requested(origin));
    stray.map(|origin| format!("a hold on {origin} means nothing")).into_iter().collect()
}

/// What ended last never becomes what ended earlier.
fn the_last_promotion(world: &World<'_>, plan: &Plan) -> Vec<String> {
    let last = (&world.stage.status.last_promotion, &plan.status.last_promotion);
    let (Some(before), Some(after)) = last else { return Vec::new() };
    let is_back = recorded_ending(after) < recorded_ending(before);
    let text =
        || format!("the last Promotion goes back from {:?} to {:?}", before.name, after.name);
    is_back.then(text).into_iter().collect()
}

fn readiness(world: &World<'_>, plan: &Plan) -> Vec<String> {
    let conditions = &plan.status.conditions;
    let is_ready = condition::is_true(conditions, types::READY);
    if !is_ready || is_control_flow(world.stage) {
        return Vec::new();
    }
    let is_settled = condition::is_true(conditions, types::HEALTHY)
        && condition::is_true(conditions, types::VERIFIED)
        && condition::find(conditions, types::PROMOTING).is_none()
        && plan.status.current_promotion.is_none();
    (!is_settled).then(|| "the Stage is ready and is not".to_owned()).into_iter().collect()
}
