//! The check that only the queue minds: Promotions of a Stage run one at a time, and what came in
//! is verified before the next one begins.

use api_kinds::Promotion;
use api_kinds::health::HealthState;
use api_kinds::promotion::PromotionPhase;
use api_kinds::stage::StageStatus;

use super::arrival::Arrival;
use super::check::{Check, CheckName, Verdict};
use super::situation::QueueView;
use crate::promotion::compare_in_queue;
use crate::stage::{current_collection, has_verification_under_way};

pub(super) fn check(arrival: &Arrival<'_>, view: &QueueView<'_>) -> Check {
    let name = CheckName::Queue;
    let own = view.promotions.iter().find(|promotion| {
        view.promotion.is_some() && promotion.metadata.name.as_deref() == view.promotion
    });
    if own.is_some_and(|own| own.status.phase == PromotionPhase::Running) {
        return Check::new(name, Verdict::Passed, "It has started.");
    }
    let mut ahead = ahead_of(own.copied(), arrival.stage_name(), view.promotions);
    ahead.sort_by(|a, b| compare_in_queue(a, b));
    if let Some(first) = ahead.first() {
        let first = first.metadata.name.as_deref().unwrap_or_default();
        let sentence = format!("{} ahead in the queue, first {first:?}.", ahead.len());
        return Check::new(name, Verdict::Refused, sentence);
    }
    match verification_in_the_way(&arrival.stage.status) {
        Some(sentence) => Check::new(name, Verdict::Refused, sentence),
        None => Check::new(name, Verdict::Passed, "Nothing is ahead in the queue."),
    }
}

fn ahead_of<'a>(
    own: Option<&Promotion>,
    stage: &str,
    promotions: &[&'a Promotion],
) -> Vec<&'a Promotion> {
    let is_ahead = |other: &Promotion| own.is_none_or(|own| compare_in_queue(other, own).is_lt());
    let waiting = promotions
        .iter()
        .filter(|promotion| promotion.spec.stage == stage && !promotion.status.phase.is_terminal());
    waiting.copied().filter(|promotion| is_ahead(promotion)).collect()
}

/// What the Stage holds is verified first, unless it is not healthy enough to begin with that.
fn verification_in_the_way(status: &StageStatus) -> Option<&'static str> {
    let collection = current_collection(status)?;
    if has_verification_under_way(collection) {
        return Some("What the Stage holds is still being verified.");
    }
    let health = status.health.as_ref().map(|health| &health.status);
    let can_begin = health.is_none_or(|health| *health == HealthState::Healthy);
    (can_begin && collection.verification_history.is_empty())
        .then_some("What the Stage holds has not been verified yet.")
}
