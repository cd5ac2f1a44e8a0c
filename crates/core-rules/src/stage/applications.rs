//! The annotation that names the Applications of the Stage, for those who link to them.

use api_kinds::Promotion;
use api_kinds::annotations::ARGOCD_CONTEXT;
use api_kinds::promotion::PromotionPhase;

use super::effect::Effect;
use super::plan::Plan;
use super::world::World;
use crate::argo_cd::context;

/// Makes the annotation say what the last Promotion touched, if that one succeeded. When the Promotion
/// is no longer there, what it said stays.
pub(super) fn phase(world: &World<'_>, plan: &mut Plan) {
    let Some(last) = last_success(world, plan) else { return };
    let wanted = context(last);
    if wanted.as_deref() != world.annotation(ARGOCD_CONTEXT) {
        plan.effects.push(Effect::SetArgoContext(wanted));
    }
}

/// Makes sure that there is none.
pub(super) fn remove(world: &World<'_>, plan: &mut Plan) {
    if world.annotation(ARGOCD_CONTEXT).is_some() {
        plan.effects.push(Effect::SetArgoContext(None));
    }
}

fn last_success<'a>(world: &World<'a>, plan: &Plan) -> Option<&'a Promotion> {
    let last = plan.status.last_promotion.as_ref()?;
    world.queued().find(|promotion| {
        promotion.metadata.name.as_ref() == Some(&last.name)
            && promotion.status.phase == PromotionPhase::Succeeded
    })
}
