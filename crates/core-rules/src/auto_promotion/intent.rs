//! What a person's Promotion means for automatic promotion. Admission writes it on the Promotion
//! when it is created, so that it does not depend on what happens while the Promotion waits.

use api_kinds::Promotion;
use api_kinds::annotations::{AUTO_PROMOTION_HOLD, AUTO_PROMOTION_RESUME};
use api_kinds::origin::FreightOrigin;

/// What a Promotion means for automatic promotion from one origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldIntent {
    /// The Freight is pinned: no automatic promotion until further notice.
    Hold,
    /// Automatic promotion goes on.
    Resume,
}

impl HoldIntent {
    /// What it means that a person promotes `freight` while automatic promotion would pick
    /// `candidate`: the same piece resumes, anything else holds.
    pub fn of_choice(freight: &str, candidate: Option<&str>) -> Self {
        if candidate == Some(freight) { Self::Resume } else { Self::Hold }
    }

    /// The annotation that says so; its value is the origin.
    pub fn annotation(self) -> &'static str {
        match self {
            Self::Hold => AUTO_PROMOTION_HOLD,
            Self::Resume => AUTO_PROMOTION_RESUME,
        }
    }
}

/// What the Promotion says about automatic promotion from the origin.
pub fn intent_of(promotion: &Promotion, origin: &FreightOrigin) -> Option<HoldIntent> {
    let annotations = promotion.metadata.annotations.as_ref()?;
    let origin = origin.to_string();
    let says = |intent: HoldIntent| annotations.get(intent.annotation()) == Some(&origin);
    [HoldIntent::Hold, HoldIntent::Resume].into_iter().find(|intent| says(*intent))
}
