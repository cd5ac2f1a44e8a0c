//! Which Promotions somebody wants to see.

use api_kinds::{Promotion, annotations::CREATE_ACTOR};
use core_clock::Time;

use crate::wire_time::from_wire;

/// Which Promotions are wanted; what is empty does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromotionFilter {
    /// How far they are.
    pub phases: Vec<String>,
    /// The name of their Freight.
    pub freight: String,
    /// Who asked for them.
    pub actor: String,
    /// None that was created before this.
    pub since: Option<Time>,
}

impl PromotionFilter {
    /// Whether it is for all Promotions.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a Promotion is wanted.
    pub fn matches(&self, promotion: &Promotion) -> bool {
        let metadata = &promotion.metadata;
        let is_created_since = |since: Time| {
            metadata.creation_timestamp.as_ref().is_some_and(|time| from_wire(time) >= since)
        };
        let annotations = metadata.annotations.as_ref();
        let actor = annotations.and_then(|annotations| annotations.get(CREATE_ACTOR));
        let phase = promotion.status.phase.as_str();
        (self.phases.is_empty() || self.phases.iter().any(|one| one == phase))
            && (self.freight.is_empty() || self.freight == promotion.spec.freight)
            && (self.actor.is_empty() || actor == Some(&self.actor))
            && self.since.is_none_or(is_created_since)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_condition_counts() {
        let promotion: Promotion = serde_json::from_value(json!({
            "metadata": {"name": "p", "creationTimestamp": "2026-01-01T00:00:00Z",
                "annotations": {"kargo.akuity.io/create-actor": "admin"}},
            "spec": {"freight": "f"}, "status": {"phase": "Running"},
        }))
        .unwrap();
        let all = PromotionFilter::default();
        assert!(all.is_empty() && all.matches(&promotion));
        let phases =
            |phase: &str| PromotionFilter { phases: vec![phase.to_owned()], ..all.clone() };
        let freight = |name: &str| PromotionFilter { freight: name.to_owned(), ..all.clone() };
        let by = |actor: &str| PromotionFilter { actor: actor.to_owned(), ..all.clone() };
        let since = |time: &str| PromotionFilter { since: time.parse().ok(), ..all.clone() };
        for wanted in [phases("Running"), freight("f"), by("admin"), since("2026-01-01T00:00:00Z")]
        {
            assert!(wanted.matches(&promotion), "{wanted:?}");
        }
        for unwanted in [phases("Failed"), freight("g"), by("x"), since("2026-01-01T00:00:01Z")] {
            assert!(!unwanted.matches(&promotion), "{unwanted:?}");
        }
    }
}
