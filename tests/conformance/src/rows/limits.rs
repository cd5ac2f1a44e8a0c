//! Row 134: how large a request and an object may be.

use anyhow::Result;
use serde_json::json;

use crate::{
    difference::Difference,
    expect::equal,
    namespace::{config_map, widget_with},
    world::World,
};

/// The largest request body.
const BODY: usize = 3 * 1024 * 1024;

pub(crate) async fn sizes(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let of_size = |size: usize| {
        let empty = config_map("large", json!({"a": ""})).to_string();
        config_map("large", json!({"a": "a".repeat(size - empty.len())})).to_string()
    };
    let maps = namespace.core("configmaps");
    let fits = world.post_as(&maps, "application/json", of_size(BODY)).await?;
    fits.fails(422, "Invalid")?;
    let reply = world.post_as(&maps, "application/json", of_size(BODY + 1)).await?;
    let message = "Request entity too large: limit is 3145728";
    reply.fails_saying(413, "RequestEntityTooLarge", message)?;
    let large = widget_with("large", json!({"color": "red", "any": "a".repeat(1600 * 1024)}));
    let reply = world.post(&namespace.widgets(), &large).await?;
    let code = world.differs(Difference::ObjectTooLarge, 413, 500);
    equal(&reply, &reply.status.as_u16(), &code)?;
    world.get(&namespace.widget("large")).await?.fails(404, "NotFound")?;
    let fits = widget_with("fits", json!({"color": "red", "any": "a".repeat(1400 * 1024)}));
    world.create(&namespace.widgets(), &fits).await.map(drop)
}
