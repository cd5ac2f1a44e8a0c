//! The check that only the queue minds: Promotions of a Stage run one at a time, and what came in
//! is verified before the next one begins.

use std::time::Duration;

use api_kinds::Promotion;
use api_kinds::health::HealthState;
use api_kinds::promotion::PromotionPhase;
use api_kinds::stage::StageStatus;
use core_clock::Time;

use super::arrival::Arrival;
use super::check::{Check, CheckName, Verdict};
use super::situation::QueueView;
use crate::promotion::compare_in_queue;
use crate::stage::{current_collection, has_verification_under_way};
use crate::wire_time::from_wire;

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
    match passage(&arrival.stage.status, view.grace, arrival.now) {
        Passage::Open => Check::new(name, Verdict::Passed, "Nothing is ahead in the queue."),
        Passage::Closed { sentence, opens_at } => {
            Check::new(name, Verdict::Refused, sentence).at(opens_at)
        }
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

/// Whether the next Promotion of a Stage may begin, as far as the one before it is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// It may.
    Open,
    /// What the Stage holds is verified first.
    Closed {
        /// Why, for people.
        sentence: &'static str,
        /// When it opens, if the passing of time alone does that.
        opens_at: Option<Time>,
    },
}

/// What came in is verified before it is replaced. As long as nobody can say whether it is healthy
/// enough for that, the next one waits for the grace period; what is certain to be unhealthy is not
/// waited for.
pub(crate) fn passage(status: &StageStatus, grace: Duration, now: Time) -> Passage {
    let Some(collection) = current_collection(status) else { return Passage::Open };
    if has_verification_under_way(collection) {
        let sentence = "What the Stage holds is still being verified.";
        return Passage::Closed { sentence, opens_at: None };
    }
    if !collection.verification_history.is_empty() {
        return Passage::Open;
    }
    match status.health.as_ref().map(|health| &health.status) {
        None | Some(HealthState::Healthy) => {
            let sentence = "What the Stage holds has not been verified yet.";
            Passage::Closed { sentence, opens_at: None }
        }
        Some(HealthState::Unhealthy) => Passage::Open,
        Some(_) => passage_in_grace(status, grace, now),
    }
}

fn passage_in_grace(status: &StageStatus, grace: Duration, now: Time) -> Passage {
    let since = status.last_promotion.as_ref().and_then(|last| last.finished_at.as_ref());
    match since.map(|since| from_wire(since) + grace).filter(|end| *end > now) {
        None => Passage::Open,
        Some(end) => {
            let sentence = "What the Stage holds cannot be verified before its health is known; it is given time.";
            Passage::Closed { sentence, opens_at: Some(end) }
        }
    }
}
