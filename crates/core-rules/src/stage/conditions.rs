//! What a Stage's conditions say, and what they amount to.

use api_kinds::condition::{Condition, ConditionStatus, reasons::stage as reasons, types};
use api_kinds::promotion::PromotionPhase;

use super::plan::Plan;
use super::world::World;
use super::{current_collection, freight_summary, is_target_aware};
use crate::condition::{self, Observation};

/// One condition, to be set.
struct Row<'a> {
    status: ConditionStatus,
    reason: &'a str,
    message: &'a str,
}

impl Plan {
    pub(super) fn is_true(&mut self, kind: &str, reason: &str, message: &str) {
        self.set(kind, &Row { status: ConditionStatus::True, reason, message });
    }

    pub(super) fn is_false(&mut self, kind: &str, reason: &str, message: &str) {
        self.set(kind, &Row { status: ConditionStatus::False, reason, message });
    }

    pub(super) fn is_unknown(&mut self, kind: &str, reason: &str, message: &str) {
        self.set(kind, &Row { status: ConditionStatus::Unknown, reason, message });
    }

    pub(super) fn forget(&mut self, kind: &str) {
        condition::remove(&mut self.status.conditions, kind);
    }

    fn set(&mut self, r#type: &str, row: &Row<'_>) {
        let observed = Observation {
            r#type,
            status: row.status.clone(),
            reason: row.reason,
            message: row.message,
            generation: self.generation,
        };
        condition::set(&mut self.status.conditions, observed, self.now);
    }
}

/// What sums others up.
const SUMMARIES: [&str; 3] = [types::READY, types::RECONCILING, types::STALLED];

/// Sums up: what a person has to do, whether the Stage is ready, and what it holds in one line. May be
/// repeated when more is known; what it said in between leaves no trace.
pub(super) fn summarise(world: &World<'_>, plan: &mut Plan) {
    restore(world, plan);
    if !plan.is_promoting() {
        plan.forget(types::PROMOTING);
    }
    tell_problems(plan);
    let requested = world.stage.spec.requested_freight.len();
    plan.status.freight_summary = freight_summary(requested, current_collection(&plan.status));
    if let Some(error) = plan.error.clone() {
        plan.is_false(types::READY, reasons::RECONCILE_ERROR, &error);
        plan.is_true(types::RECONCILING, reasons::RETRY_AFTER_ERROR, &error);
        return;
    }
    plan.forget(types::RECONCILING);
    plan.status.observed_generation = plan.generation;
    let (is_ready, reason, message) = readiness(world, plan);
    if is_ready {
        plan.is_true(types::READY, &reason, &message);
    } else {
        plan.is_false(types::READY, &reason, &message);
    }
}

/// Makes the summaries what they were before the pass.
pub(super) fn restore(world: &World<'_>, plan: &mut Plan) {
    let before = &world.stage.status;
    plan.status.observed_generation = before.observed_generation;
    let conditions = &mut plan.status.conditions;
    for kind in SUMMARIES {
        condition::remove(conditions, kind);
        conditions.extend(condition::find(&before.conditions, kind).cloned());
    }
    // A list is written as a whole: what only changed its place must not be written.
    let place = |row: &Condition| before.conditions.iter().position(|old| old.r#type == row.r#type);
    conditions.sort_by_key(|row| place(row).unwrap_or(usize::MAX));
}

/// The first of what only a person can put right gives the reason, all of it the message.
pub(super) fn tell_problems(plan: &mut Plan) {
    let Some(reason) = plan.problems.first().map(super::problem::Problem::reason) else {
        plan.forget(types::STALLED);
        return;
    };
    let texts: Vec<String> = plan.problems.iter().map(ToString::to_string).collect();
    plan.is_true(types::STALLED, reason, &texts.join("; "));
}

type Readiness = (bool, String, String);

/// The first that is in the way says so in its own words; if nothing is, verification does.
fn readiness(world: &World<'_>, plan: &Plan) -> Readiness {
    let conditions = &plan.status.conditions;
    if let Some(promoting) = condition::find(conditions, types::PROMOTING) {
        return (false, promoting.reason.clone(), promoting.message.clone());
    }
    if let Some(not_ready) = last_failure(world, plan) {
        return not_ready;
    }
    for (kind, fallback) in
        [(types::HEALTHY, reasons::UNHEALTHY), (types::VERIFIED, reasons::PENDING_VERIFICATION)]
    {
        match condition::find(conditions, kind) {
            Some(condition) if condition.status == ConditionStatus::True => {}
            Some(condition) => return words_of(false, condition),
            None => return (false, fallback.to_owned(), String::new()),
        }
    }
    let verified = condition::find(conditions, types::VERIFIED);
    verified.map_or_else(
        || (true, reasons::VERIFIED.to_owned(), String::new()),
        |verified| words_of(true, verified),
    )
}

fn words_of(is_ready: bool, condition: &Condition) -> Readiness {
    (is_ready, condition.reason.clone(), condition.message.clone())
}

fn last_failure(world: &World<'_>, plan: &Plan) -> Option<Readiness> {
    let not_ready = |phase: &str, message: String| {
        Some((false, format!("{}{phase}", reasons::LAST_PROMOTION_PREFIX), message))
    };
    if is_target_aware(world.stage) {
        let last = plan.status.last_promotion_request.as_ref()?;
        let is_bad = last.phase.is_terminal()
            && last.phase != api_kinds::promotion_request::PromotionRequestPhase::Succeeded;
        let message = format!("PromotionRequest {:?} ended as {}", last.name, last.phase);
        return is_bad.then(|| not_ready(last.phase.as_str(), message)).flatten();
    }
    let status = plan.status.last_promotion.as_ref()?.status.as_ref()?;
    let is_bad = status.phase.is_terminal() && status.phase != PromotionPhase::Succeeded;
    is_bad.then(|| not_ready(status.phase.as_str(), status.message.clone())).flatten()
}
