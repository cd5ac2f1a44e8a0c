//! How a promotion ends, and what is left of it.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::{
    pipeline::{BAD, GOOD, Pipeline, was_synced_by},
    world::{World, freight},
};

/// From the push to a healthy Stage.
pub(crate) async fn succeeds(world: &World) -> Result<()> {
    let pipeline = Pipeline::create(world, "good", GOOD, &json!([{"name": "good"}])).await?;
    pipeline.application("good", &json!({"annotations": pipeline.permission()})).await?;
    let promotion = pipeline.promote().await?;
    ensure!(promotion["status"]["phase"] == "Succeeded", "{}", promotion["status"]);
    let freight = freight(&world.project).await?.context("there is Freight")?;
    let config_map = pipeline.config_map("good").await?;
    ensure!(config_map["data"]["commit"] == freight["commits"][0]["id"], "{config_map}");
    let application = world.application("good").await?;
    ensure!(was_synced_by(&application, &promotion), "{application}");
    let stage = pipeline.await_health("Healthy").await?;
    let reported = &stage["status"]["health"]["output"][0]["applicationStatuses"][0];
    ensure!(reported["Name"] == "good" && reported["sync"]["status"] == "Synced", "{reported}");
    let revision = world.config.git(&["rev-parse", "main"])?;
    ensure!(reported["sync"]["revision"] == revision.as_str(), "{reported} is not at {revision}");
    pipeline.await_context(&["good"]).await
}

/// What the cluster says about the manifest is what the user reads.
pub(crate) async fn fails(world: &World) -> Result<()> {
    let pipeline = Pipeline::create(world, "bad", BAD, &json!([{"name": "bad"}])).await?;
    pipeline.application("bad", &json!({"annotations": pipeline.permission()})).await?;
    let promotion = pipeline.promote().await?;
    let message = message(&promotion);
    ensure!(promotion["status"]["phase"] == "Errored", "{}", promotion["status"]);
    for word in ["argocd/bad", "ConfigMap", "cannot unmarshal number"] {
        ensure!(message.contains(word), "{word:?} is missing in: {message}");
    }
    Ok(())
}

/// The owner of an Application decides who may change it.
pub(crate) async fn is_refused(world: &World) -> Result<()> {
    let pipeline = Pipeline::create(world, "foreign", GOOD, &json!([{"name": "foreign"}])).await?;
    pipeline.application("foreign", &json!({})).await?;
    let promotion = pipeline.promote().await?;
    let message = message(&promotion);
    ensure!(promotion["status"]["phase"] == "Errored", "{}", promotion["status"]);
    for word in ["foreign", "kargo.akuity.io/authorized-stage: shop:foreign"] {
        ensure!(message.contains(word), "{word:?} is missing in: {message}");
    }
    let application = world.application("foreign").await?;
    let state = &application["status"]["operationState"];
    ensure!(application["operation"].is_null() && state.is_null(), "{application}");
    Ok(())
}

fn message(promotion: &Value) -> &str {
    promotion["status"]["message"].as_str().unwrap_or_default()
}
