//! Automatic promotion, as part of a pass: per origin, in the order of the spec.

use std::sync::Arc;

use api_kinds::origin::FreightOrigin;
use api_kinds::{Freight, Promotion, Stage, Target};
use core_clock::Time;

use super::effect::{Creation, Effect};
use super::origin::freight_of_known_origins;
use super::plan::Plan;
use super::problem::Problem;
use super::wake::Wake;
use super::world::World;
use super::{governed_targets, is_target_aware};
use crate::auto_promotion::{Decision, Pass, plan as decide};
use crate::gate::next_opening;

/// Asks for Promotions of what automatic promotion picks, and to be woken when time alone makes
/// Freight available.
pub(super) fn phase(world: &World<'_>, plan: &mut Plan) {
    if world.policy != Ok(true) {
        return;
    }
    let freight = freight_of_known_origins(world, plan);
    let now = plan.now;
    let (picks, opening) = plan.as_stage(world, |stage| {
        let opening = next_opening(stage, freight.iter().copied(), world.passing_stages, now);
        (picks(world, stage, &freight, now), opening)
    });
    if is_target_aware(world.stage) {
        request_each(world, plan, picks);
    } else {
        let creations = picks.into_iter().map(|(origin, freight)| creation(origin, freight));
        plan.effects.extend(creations.map(Effect::CreatePromotion));
    }
    if let Some(time) = opening {
        plan.wake(Wake::At { time, reason: "Freight will have soaked" });
    }
}

/// Origins, and the name of the Freight to promote from each.
fn picks(
    world: &World<'_>,
    stage: &Stage,
    freight: &[&Freight],
    now: Time,
) -> Vec<(FreightOrigin, String)> {
    // Promotions of a Stage with Targets are a matter of its PromotionRequests.
    let promotions: Vec<&Promotion> =
        world.queued().filter(|_| !is_target_aware(world.stage)).collect();
    let decisions = decide(&Pass {
        stage,
        is_enabled: true,
        freight,
        promotions: &promotions,
        holds: &stage.status.effective_auto_promotion_holds,
        window: world.window,
        passing_stages: world.passing_stages,
        now,
    });
    let pick = |decision: &Decision<'_>| {
        Some((decision.origin.clone(), decision.promotes()?.metadata.name.clone()?))
    };
    decisions.iter().filter_map(pick).collect()
}

/// One PromotionRequest per Freight, ever: however it ended, it is not repeated without being asked.
fn request_each(world: &World<'_>, plan: &mut Plan, picks: Vec<(FreightOrigin, String)>) {
    let targets = match governed_targets(world.stage, world.targets.iter().map(Arc::as_ref)) {
        Ok(targets) => names(&targets),
        Err(error) => {
            plan.problems.push(Problem::TargetsInvalid(error));
            return;
        }
    };
    for (origin, freight) in picks {
        if world.requests.iter().all(|request| request.spec.freight != freight) {
            let creation = Creation { targets: targets.clone(), ..creation(origin, freight) };
            plan.effects.push(Effect::CreatePromotionRequest(creation));
        }
    }
}

fn creation(origin: FreightOrigin, freight: String) -> Creation {
    Creation { origin, freight, targets: Vec::new() }
}

fn names(targets: &[&Target]) -> Vec<String> {
    targets.iter().filter_map(|target| target.metadata.name.clone()).collect()
}
