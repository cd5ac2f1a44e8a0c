//! How the Stage is, by the checks of what brought its Freight.

use api_kinds::condition::{reasons::stage as reasons, types};
use api_kinds::health::{Health, HealthCheckStep, HealthState};
use api_kinds::promotion::PromotionPhase;
use api_kinds::promotion_request::PromotionRequestPhase;

use super::bringer::Bringer;
use super::is_target_aware;
use super::plan::Plan;
use super::world::World;
use crate::health::aggregate_health;

/// What health is judged by.
enum Basis {
    Nothing,
    /// What ended last did not succeed, and nothing is known to check.
    Unsuccessful {
        phase: String,
    },
    Checks(Vec<HealthCheckStep>),
}

/// Assesses health, unless something is on its way into the Stage.
pub(super) fn phase(world: &World<'_>, plan: &mut Plan) {
    if plan.is_promoting() {
        in_progress(plan);
        return;
    }
    match basis(world, plan) {
        Basis::Nothing => {
            plan.status.health = None;
            plan.is_unknown(types::HEALTHY, reasons::NO_FREIGHT, "");
        }
        Basis::Unsuccessful { phase } => {
            let issue = "Cannot assess health because last Promotion did not succeed";
            unknown(plan, &format!("{}{phase}", reasons::LAST_PROMOTION_PREFIX), issue);
        }
        Basis::Checks(checks) => assess(world, plan, &checks),
    }
}

/// Health cannot be told while something is on its way into the Stage.
pub(super) fn in_progress(plan: &mut Plan) {
    let issue = "Cannot assess health because a Promotion is currently in progress";
    unknown(plan, reasons::ACTIVE_PROMOTION, issue);
}

fn unknown(plan: &mut Plan, reason: &str, issue: &str) {
    let issues = vec![issue.to_owned()];
    plan.status.health = Some(Health { status: HealthState::Unknown, issues, ..Health::default() });
    plan.is_unknown(types::HEALTHY, reason, issue);
}

/// A Promotion that never began changed nothing: what was there before still says how the Stage is.
/// After one that began and did not succeed, only checks can.
fn basis(world: &World<'_>, plan: &Plan) -> Basis {
    let Some((phase, has_begun, is_successful)) = last_ending(world, plan) else {
        return Basis::Nothing;
    };
    match Bringer::find(world, plan) {
        Some(bringer) if is_successful || !has_begun || !bringer.checks.is_empty() => {
            Basis::Checks(bringer.checks)
        }
        None if is_successful => Basis::Checks(Vec::new()),
        _ => Basis::Unsuccessful { phase },
    }
}

/// How what ended last ended, whether it had begun, and whether it succeeded.
fn last_ending(world: &World<'_>, plan: &Plan) -> Option<(String, bool, bool)> {
    if is_target_aware(world.stage) {
        let last = plan.status.last_promotion_request.as_ref()?;
        let is_successful = last.phase == PromotionRequestPhase::Succeeded;
        return Some((last.phase.to_string(), true, is_successful));
    }
    let last = plan.status.last_promotion.as_ref()?;
    let Some(status) = &last.status else { return Some((String::new(), true, false)) };
    let is_successful = status.phase == PromotionPhase::Succeeded;
    Some((status.phase.to_string(), status.started_at.is_some(), is_successful))
}

fn assess(world: &World<'_>, plan: &mut Plan, checks: &[HealthCheckStep]) {
    let mut health = aggregate_health(checks.iter().map(|check| world.health.check(check)));
    if health.status == HealthState::Unset {
        health.status = HealthState::Unknown;
    }
    let (issues, performed) = (health.issues.len(), checks.len());
    match &health.status {
        HealthState::Healthy => {
            let message = format!("Stage is healthy (performed {performed} health checks)");
            plan.is_true(types::HEALTHY, reasons::HEALTHY, &message);
        }
        HealthState::Unhealthy => {
            let message =
                format!("Stage is unhealthy ({issues} issues in {performed} health checks)");
            plan.is_false(types::HEALTHY, reasons::UNHEALTHY, &message);
        }
        state => plan.is_unknown(types::HEALTHY, state.as_str(), ""),
    }
    plan.status.health = Some(health);
}
