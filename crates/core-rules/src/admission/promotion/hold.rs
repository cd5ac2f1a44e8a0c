//! What a Promotion by hand means for automatic promotion.

use api_kinds::{ProjectConfig, Promotion, Stage, annotations};

use super::default::DefaultWorld;
use crate::admission::{
    caller::Caller,
    metadata::{annotation, set_annotation},
};
use crate::auto_promotion::{HoldIntent, is_enabled};

/// Whether completing the new Promotion needs the Freight of the namespace.
pub fn looks_at_freight(
    promotion: &Promotion,
    stage: &Stage,
    config: Option<&ProjectConfig>,
    caller: &Caller<'_>,
) -> bool {
    let is_by_origin = promotion.spec.freight.is_empty() && promotion.spec.origin.is_some();
    is_by_origin || (!speaks_for_itself(promotion, caller) && promotes_by_itself(config, stage))
}

/// Says on the Promotion whether it puts automatic promotion on hold or lets it go on. What cannot
/// be found out is left open; it never stops a Promotion.
pub(super) fn infer(
    promotion: &mut Promotion,
    stage: &Stage,
    caller: &Caller<'_>,
    world: &DefaultWorld<'_>,
) {
    if speaks_for_itself(promotion, caller) {
        return;
    }
    for key in [annotations::AUTO_PROMOTION_HOLD, annotations::AUTO_PROMOTION_RESUME] {
        set_annotation(&mut promotion.metadata, key, None);
    }
    if !promotes_by_itself(world.config, stage) {
        return;
    }
    let name = &promotion.spec.freight;
    let is_promoted = |name: &str| promotion.spec.freight == name;
    let mut freight = world.freight.iter();
    let Some(freight) = freight.find(|f| f.metadata.name.as_deref().is_some_and(is_promoted))
    else {
        return;
    };
    let intent = HoldIntent::of_choice(name, world.candidate(stage, &freight.origin));
    let origin = Some(freight.origin.to_string());
    set_annotation(&mut promotion.metadata, intent.annotation(), origin);
}

/// Controllers say themselves what their Promotions mean.
fn speaks_for_itself(promotion: &Promotion, caller: &Caller<'_>) -> bool {
    let creator = annotation(&promotion.metadata, annotations::CREATE_ACTOR).unwrap_or_default();
    caller.is_control_plane() && (creator.is_empty() || creator.starts_with("controller:"))
}

fn promotes_by_itself(config: Option<&ProjectConfig>, stage: &Stage) -> bool {
    is_enabled(config, stage).unwrap_or(false)
}
