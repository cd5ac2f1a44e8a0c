//! What came of promoting a piece of Freight to a Stage before.

use api_kinds::promotion::PromotionPhase;
use api_kinds::{Promotion, Stage};

use super::order::Sequence;

/// The attempts to promote one piece of Freight to one Stage, as far as they matter for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt<'a> {
    /// There was none.
    None,
    /// One has not ended, or succeeded without the Stage having taken note.
    Unsettled {
        /// Name of the Promotion.
        promotion: &'a str,
    },
    /// The last one succeeded: the Stage has moved on since.
    Succeeded,
    /// The last one did not succeed. Repeating it without being asked could go on for ever.
    Unsuccessful {
        /// Name of the Promotion.
        promotion: &'a str,
        /// How it ended.
        phase: &'a PromotionPhase,
    },
}

impl<'a> Attempt<'a> {
    /// Looks through the Promotions of the Stage for those of the Freight.
    pub fn latest(stage: &Stage, freight: &str, promotions: &[&'a Promotion]) -> Self {
        let stage_name = stage.metadata.name.as_deref().unwrap_or_default();
        let own = promotions.iter().copied().filter(|promotion| {
            promotion.spec.stage == stage_name && promotion.spec.freight == freight
        });
        if let Some(unsettled) = own.clone().find(|promotion| is_unsettled(stage, promotion)) {
            return Self::Unsettled { promotion: name(unsettled) };
        }
        let latest = own.max_by(|a, b| age(a).cmp(&age(b)));
        match latest.map(|promotion| (name(promotion), &promotion.status.phase)) {
            None => Self::None,
            Some((_, PromotionPhase::Succeeded)) => Self::Succeeded,
            Some((promotion, phase)) => Self::Unsuccessful { promotion, phase },
        }
    }
}

fn is_unsettled(stage: &Stage, promotion: &Promotion) -> bool {
    let phase = &promotion.status.phase;
    let is_noted = stage
        .status
        .last_promotion
        .as_ref()
        .is_some_and(|last| Sequence::of(promotion) <= Sequence::of_name(&last.name));
    !phase.is_terminal() || (*phase == PromotionPhase::Succeeded && !is_noted)
}

fn age(promotion: &Promotion) -> (Option<&api_kinds::Time>, Sequence<'_>) {
    (promotion.metadata.creation_timestamp.as_ref(), Sequence::of(promotion))
}

fn name(promotion: &Promotion) -> &str {
    promotion.metadata.name.as_deref().unwrap_or_default()
}
