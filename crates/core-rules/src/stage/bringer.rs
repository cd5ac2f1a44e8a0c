//! What brought the Freight that the Stage holds. Its checks say how the Stage is, and its name tells
//! one verification of the same Freight from another.

use api_kinds::Promotion;
use api_kinds::Time as WireTime;
use api_kinds::health::HealthCheckStep;
use api_kinds::promotion::{PromotionPhase, PromotionStatus};
use api_kinds::promotion_request::PromotionRequestPhase;
use api_kinds::stage::PromotionReference;

use super::plan::Plan;
use super::world::World;
use super::{current_collection, is_target_aware};
use crate::promotion::Sequence;

/// What brought the Freight that the Stage holds.
#[derive(Clone, Debug)]
pub(super) struct Bringer {
    pub(super) name: String,
    pub(super) finished_at: Option<WireTime>,
    pub(super) checks: Vec<HealthCheckStep>,
}

impl Bringer {
    /// The last Promotion, or, when that one did not succeed, the last that did and is still known.
    pub(super) fn find(world: &World<'_>, plan: &Plan) -> Option<Self> {
        let current = current_collection(&plan.status)?;
        if is_target_aware(world.stage) {
            let last = plan.status.last_promotion_request.as_ref();
            let last = last.filter(|last| last.phase == PromotionRequestPhase::Succeeded)?;
            let finished_at = last.finished_at.clone();
            return Some(Self { name: last.name.clone(), finished_at, checks: Vec::new() });
        }
        let brought = |status: &PromotionStatus| {
            let collection = status.freight_collection.as_ref();
            status.phase == PromotionPhase::Succeeded
                && collection.is_some_and(|collection| collection.id == current.id)
        };
        let last = plan.status.last_promotion.as_ref();
        if let Some((last, status)) = last.and_then(|last| Some((last, last.status.as_ref()?)))
            && brought(status)
        {
            return Some(Self::new(&last.name, status));
        }
        let successes = world.queued().filter(|promotion| brought(&promotion.status));
        let latest = successes.max_by(|a, b| ending(a).cmp(&ending(b)))?;
        Some(Self::new(latest.metadata.name.as_deref().unwrap_or_default(), &latest.status))
    }

    fn new(name: &str, status: &PromotionStatus) -> Self {
        let finished_at = status.finished_at.clone();
        Self { name: name.to_owned(), finished_at, checks: status.health_checks.clone() }
    }
}

/// The place of a Promotion in the order in which they end. Times are whole seconds: of those that end
/// in the same one, what was taken out of the queue comes first, because it changed nothing; others are
/// told apart by when they were created.
pub(super) fn ending(promotion: &Promotion) -> Ending<'_> {
    let status = &promotion.status;
    (status.finished_at.as_ref(), !was_taken_out(status), Sequence::of(promotion))
}

/// The same of one that is recorded.
pub(super) fn recorded_ending(last: &PromotionReference) -> Ending<'_> {
    let is_one_that_counts = !last.status.as_ref().is_some_and(was_taken_out);
    (last.finished_at.as_ref(), is_one_that_counts, Sequence::of_name(&last.name))
}

pub(super) type Ending<'a> = (Option<&'a WireTime>, bool, Sequence<'a>);

fn was_taken_out(status: &PromotionStatus) -> bool {
    status.phase == PromotionPhase::Aborted && status.started_at.is_none()
}
