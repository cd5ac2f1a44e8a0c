//! Freight that entered the Stage and Freight that left it, as the Freight itself says.

use std::collections::BTreeSet;

use super::effect::FreightChange;
use super::plan::Plan;
use super::problem::Problem;
use super::wake::Wake;
use super::world::World;
use super::{current_collection, includes_freight};

/// Lets Freight say where it is: what the Stage holds is in it, everything else is not.
pub(super) fn phase(world: &World<'_>, plan: &mut Plan) {
    let held: Vec<(String, String)> = current_collection(&plan.status)
        .into_iter()
        .flat_map(|collection| &collection.freight)
        .map(|(origin, piece)| (origin.clone(), piece.name.clone()))
        .collect();
    let names: BTreeSet<&str> = held.iter().map(|(_, name)| name.as_str()).collect();
    leave(world, plan, &names);
    for (origin, name) in &held {
        enter(world, plan, origin, name);
    }
}

/// Also what a Stage does that no longer holds anything: nothing stays behind.
pub(super) fn leave(world: &World<'_>, plan: &mut Plan, held: &BTreeSet<&str>) {
    let stage = world.stage_name();
    for freight in world.freight {
        let name = freight.metadata.name.as_deref().unwrap_or_default();
        if freight.status.currently_in.contains_key(stage) && !held.contains(name) {
            plan.change_freight(name, FreightChange::Leave { at: plan.now });
        }
    }
}

fn enter(world: &World<'_>, plan: &mut Plan, origin: &str, name: &str) {
    let Some(freight) = world.freight_named(name) else {
        let before = current_collection(&world.stage.status);
        if !before.is_some_and(|before| includes_freight(before, name)) {
            // It has only just arrived, from an origin that the Stage no longer asks for: nobody
            // looked for it.
            plan.wake(Wake::Now { reason: "Freight was not looked for" });
            return;
        }
        plan.problems.push(Problem::FreightNotFound {
            freight: name.to_owned(),
            origin: origin.to_owned(),
            namespace: world.namespace().to_owned(),
        });
        return;
    };
    if !freight.status.currently_in.contains_key(world.stage_name()) {
        plan.change_freight(name, FreightChange::Enter { at: plan.now });
    }
}
