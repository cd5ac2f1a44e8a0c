//! What the controller of Warehouses tells.

use api_kinds::Freight;

use crate::{actor::controller_actor, event};

/// What the controller is called in events, where it serves one shard with that shard's name.
pub fn component(shard: &str) -> String {
    let name = "warehouse-controller";
    if shard.is_empty() { name.to_owned() } else { format!("{name}-{shard}") }
}

/// Freight was created from what was found, by the controller of this name.
pub fn freight_created(freight: &Freight, component: &str) -> event::Event {
    let message = "Freight created from discovered artifacts";
    event::freight_created(freight, message, component, &controller_actor(component))
}
