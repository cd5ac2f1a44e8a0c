//! Holds on automatic promotion: what Promotions that ended settle, and what is in effect.

use api_kinds::Promotion;

use super::plan::Plan;
use super::problem::Problem;
use super::world::World;
use crate::auto_promotion::{effective_holds, prune_holds, settle_holds};

/// Lets Promotions that ended establish and lift holds. Where the policy cannot be told, nothing is
/// established and nothing is lost.
pub(super) fn settle(world: &World<'_>, plan: &mut Plan, ended: &[&Promotion]) {
    let holds = &mut plan.status.auto_promotion_holds;
    match &world.policy {
        Ok(false) => holds.clear(),
        Ok(true) => {
            prune_holds(holds, world.stage);
            settle_holds(holds, world.stage, ended);
        }
        Err(_) => prune_holds(holds, world.stage),
    }
}

/// Writes down whether the Stage promotes by itself and which holds are in effect.
pub(super) fn phase(world: &World<'_>, plan: &mut Plan) {
    match &world.policy {
        Ok(is_enabled) => {
            let promotions: Vec<&Promotion> = world.queued().collect();
            let holds =
                plan.as_stage(world, |stage| effective_holds(stage, *is_enabled, &promotions));
            plan.status.auto_promotion_enabled = *is_enabled;
            plan.status.effective_auto_promotion_holds = holds;
        }
        Err(error) => {
            prune_holds(&mut plan.status.effective_auto_promotion_holds, world.stage);
            plan.problems.push(Problem::PolicyInvalid(error.clone()));
        }
    }
}
