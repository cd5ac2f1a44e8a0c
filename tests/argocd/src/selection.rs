//! Applications that a promotion chooses by their labels.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::{
    pipeline::{GOOD, Pipeline, was_synced_by},
    world::World,
};

/// Two are ours; the third has the label, and another owner.
pub(crate) async fn by_label(world: &World) -> Result<()> {
    let labels = json!({"fleet": "many"});
    let apps = json!([{"selector": {"matchLabels": labels}}]);
    let pipeline = Pipeline::create(world, "many", GOOD, &apps).await?;
    let ours = json!({"labels": labels, "annotations": pipeline.permission()});
    for name in ["many-a", "many-b"] {
        pipeline.application(name, &ours).await?;
    }
    let theirs = json!({"labels": labels, "annotations": {"kargo.akuity.io/authorized-stage": "other:stage"}});
    // It syncs by itself, so that there is an end of waiting for it.
    pipeline.application_with("many-c", &theirs, &json!({})).await?;
    let promotion = pipeline.promote().await?;
    ensure!(promotion["status"]["phase"] == "Succeeded", "{}", promotion["status"]);
    for (name, is_ours) in [("many-a", true), ("many-b", true), ("many-c", false)] {
        let application = world.application(name).await?;
        ensure!(was_synced_by(&application, &promotion) == is_ours, "{application}");
    }
    pipeline.await_health("Healthy").await?;
    pipeline.await_context(&["many-a", "many-b", "many-c"]).await
}
