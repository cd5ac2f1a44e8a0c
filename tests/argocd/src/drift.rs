//! Health of a Stage after its promotion, as Applications change.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::{
    pipeline::{GOOD, Pipeline},
    world::World,
};

/// Somebody pushes past the promotion; the next promotion puts it right.
pub(crate) async fn is_seen(world: &World) -> Result<()> {
    let pipeline = Pipeline::create(world, "drift", GOOD, &json!([{"name": "drift"}])).await?;
    pipeline.application("drift", &json!({"annotations": pipeline.permission()})).await?;
    let promotion = pipeline.promote().await?;
    ensure!(promotion["status"]["phase"] == "Succeeded", "{}", promotion["status"]);
    pipeline.await_health("Healthy").await?;
    let pushed = world.config.commit("main", "by hand", &[("drift/note.txt", "hello")])?;
    world.refresh("drift").await?;
    let stage = pipeline.await_health("Unhealthy").await?;
    let issue = stage["status"]["health"]["issues"][0].as_str().unwrap_or_default();
    ensure!(issue.contains(&pushed), "{issue}");
    let promotion = pipeline.promote().await?;
    ensure!(promotion["status"]["phase"] == "Succeeded", "{}", promotion["status"]);
    pipeline.await_health("Healthy").await.map(drop)
}
