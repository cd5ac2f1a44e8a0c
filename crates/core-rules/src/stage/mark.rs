//! What verification means for the Freight: it is verified in the Stage, or no longer.

use api_kinds::collection::FreightCollection;
use api_kinds::health::HealthState;
use api_kinds::verification::{VerificationInfo, VerificationPhase};

use super::effect::FreightChange;
use super::plan::Plan;
use super::world::World;
use super::{current_collection, has_verification_under_way};
use crate::wire_time::from_wire;

/// Marks what the Stage holds as verified when its newest verification succeeded and it is healthy
/// now; takes the mark away when a repeated verification failed.
pub(super) fn phase(world: &World<'_>, plan: &mut Plan) {
    let Some(change) = change(world, plan) else { return };
    let stage = world.stage_name();
    for name in held_names(plan) {
        let Some(freight) = world.freight_named(&name) else { continue };
        let verified = freight.status.verified_in.get(stage);
        let is_due = match change {
            Change::Verify(_) => verified.is_none(),
            // A mark that somebody set after the failure stays.
            Change::Unverify(failed) => verified.is_some_and(|verified| {
                verified.verified_at.as_ref().is_none_or(|at| from_wire(at) <= failed)
            }),
        };
        if is_due {
            plan.change_freight(&name, change.into());
        }
    }
}

#[derive(Clone, Copy)]
enum Change {
    Verify(core_clock::Time),
    Unverify(core_clock::Time),
}

impl From<Change> for FreightChange {
    fn from(change: Change) -> Self {
        match change {
            Change::Verify(at) => Self::Verify { at },
            Change::Unverify(_) => Self::Unverify,
        }
    }
}

fn change(world: &World<'_>, plan: &Plan) -> Option<Change> {
    let collection = current_collection(&plan.status)?;
    if has_verification_under_way(collection) {
        return None;
    }
    let newest = collection.verification_history.first()?;
    let ended = newest.finish_time.as_ref().map_or(plan.now, from_wire);
    let health = plan.status.health.as_ref().map(|health| &health.status);
    match newest.phase {
        VerificationPhase::Successful if health == Some(&HealthState::Healthy) => {
            Some(Change::Verify(ended))
        }
        VerificationPhase::Failed
            if world.settings.revokes && succeeded_before(plan, collection) =>
        {
            Some(Change::Unverify(ended))
        }
        _ => None,
    }
}

/// Whether the same Freight, together, was verified here before. What only failed in other company
/// keeps its mark.
fn succeeded_before(plan: &Plan, collection: &FreightCollection) -> bool {
    let same = plan.status.freight_history.iter().filter(|held| held.id == collection.id);
    let is_success = |attempt: &VerificationInfo| attempt.phase == VerificationPhase::Successful;
    same.flat_map(|held| &held.verification_history).any(is_success)
}

fn held_names(plan: &Plan) -> Vec<String> {
    let collection = current_collection(&plan.status).into_iter();
    collection.flat_map(|held| held.freight.values()).map(|piece| piece.name.clone()).collect()
}
