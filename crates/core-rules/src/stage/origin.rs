//! Origins whose Warehouse is gone: nothing comes from there by itself, and that is told.

use std::sync::Arc;

use api_kinds::Freight;

use super::plan::Plan;
use super::problem::Problem;
use super::world::World;

/// The Freight whose Warehouse exists. Each Warehouse that the Stage asks for and that does not is a
/// problem of that origin alone.
pub(super) fn freight_of_known_origins<'a>(world: &World<'a>, plan: &mut Plan) -> Vec<&'a Freight> {
    for request in &world.stage.spec.requested_freight {
        let warehouse = &request.origin.name;
        if !world.warehouses.contains(warehouse) {
            plan.problems.push(Problem::WarehouseNotFound {
                warehouse: warehouse.clone(),
                namespace: world.namespace().to_owned(),
            });
        }
    }
    let freight = world.freight.iter().map(Arc::as_ref);
    freight.filter(|freight| world.warehouses.contains(&freight.origin.name)).collect()
}
