//! Holds: origins from which a Stage does not promote by itself, because a person pinned something.

use std::collections::BTreeMap;

use api_kinds::annotations::CREATE_ACTOR;
use api_kinds::origin::FreightOrigin;
use api_kinds::promotion::PromotionPhase;
use api_kinds::stage::AutoPromotionHold;
use api_kinds::{Promotion, Stage};

use super::intent::{HoldIntent, intent_of};
use crate::promotion::Sequence;

type Holds = BTreeMap<String, AutoPromotionHold>;

/// Drops holds on origins that the Stage no longer asks for.
pub fn prune_holds(holds: &mut Holds, stage: &Stage) {
    let requests = &stage.spec.requested_freight;
    holds.retain(|origin, _| requests.iter().any(|request| request.origin.to_string() == *origin));
}

/// Lets Promotions that ended settle what they were meant to do, the oldest first. However one ended
/// counts, except when it was aborted: then the person took it back.
pub fn settle_holds(holds: &mut Holds, stage: &Stage, ended: &[&Promotion]) {
    let mut ended: Vec<&Promotion> = ended.iter().copied().filter(|p| takes_effect(p)).collect();
    ended.sort_by_key(|promotion| Sequence::of(promotion));
    for promotion in ended {
        for request in &stage.spec.requested_freight {
            apply(holds, promotion, &request.origin);
        }
    }
}

/// The holds in effect: the settled ones, changed by what Promotions that the Stage has not taken
/// note of are meant to do, even while they wait, and also when one that was created later has ended
/// before. None where the Stage does not promote by itself.
pub fn effective_holds(stage: &Stage, is_enabled: bool, promotions: &[&Promotion]) -> Holds {
    if !is_enabled {
        return Holds::new();
    }
    let name = stage.metadata.name.as_deref().unwrap_or_default();
    let last = stage.status.last_promotion.as_ref().map(|last| Sequence::of_name(&last.name));
    let newer = promotions.iter().copied().filter(|promotion| {
        promotion.spec.stage == name
            && takes_effect(promotion)
            && (!promotion.status.phase.is_terminal()
                || last.is_none_or(|last| Sequence::of(promotion) > last))
    });
    let mut holds = stage.status.auto_promotion_holds.clone();
    for request in &stage.spec.requested_freight {
        let speaking = newer.clone().filter(|p| intent_of(p, &request.origin).is_some());
        if let Some(newest) = speaking.max_by_key(|promotion| Sequence::of(promotion)) {
            apply(&mut holds, newest, &request.origin);
        }
    }
    holds
}

fn takes_effect(promotion: &Promotion) -> bool {
    promotion.status.phase != PromotionPhase::Aborted
}

fn apply(holds: &mut Holds, promotion: &Promotion, origin: &FreightOrigin) {
    match intent_of(promotion, origin) {
        Some(HoldIntent::Hold) => {
            holds.insert(origin.to_string(), hold_by(promotion, origin.clone()));
        }
        Some(HoldIntent::Resume) => {
            holds.remove(&origin.to_string());
        }
        None => {}
    }
}

fn hold_by(promotion: &Promotion, origin: FreightOrigin) -> AutoPromotionHold {
    let metadata = &promotion.metadata;
    let actor = metadata.annotations.as_ref().and_then(|all| all.get(CREATE_ACTOR));
    AutoPromotionHold {
        actor: actor.cloned().unwrap_or_default(),
        created_at: metadata.creation_timestamp.clone(),
        freight_name: promotion.spec.freight.clone(),
        origin,
        promotion_name: metadata.name.clone().unwrap_or_default(),
    }
}
