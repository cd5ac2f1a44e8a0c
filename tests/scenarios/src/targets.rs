//! Stages that stand for many places.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    project::{Project, object},
    stage::Stage,
    world::World,
};

/// Waits until a Stage's last PromotionRequest is about this Freight, and returns the request.
async fn last_request(project: &Project, stage: &str, freight: &str) -> Result<Value> {
    let is_it = |it: &Value| it["status"]["lastPromotionRequest"]["freight"]["name"] == freight;
    let stage = project.await_stage(stage, "its PromotionRequest ends", is_it).await?;
    let name = stage["status"]["lastPromotionRequest"]["name"].as_str().unwrap_or_default();
    project.get(&format!("promotionrequests/{name}")).await
}

/// Promoted by requests alone, one for each piece of Freight.
pub(crate) async fn requests(world: &World) -> Result<()> {
    let project = world.project("requests").await?;
    project.automate(&["edge"]).await?;
    let selectors = json!({ "selectors": [{ "matchLabels": { "tier": "edge" } }] });
    project.stage(Stage::new("edge").direct("web").trivial().with("targets", selectors)).await?;
    let first = project.freight("web", "1.0.0").await?;
    let request = last_request(&project, "edge", &first).await?;
    ensure!(request["status"]["phase"] == "Succeeded", "nothing was to be done: {request}");
    let refusal = project.promote_in_vain("edge", &first).await?;
    ensure!(refusal.contains("promoted to with a PromotionRequest"), "{refusal}");
    let mut target = object("Target", "store-1", &json!({ "params": { "region": "eu" } }));
    target["metadata"]["labels"] = json!({ "tier": "edge" });
    project.create_in("targets", &target).await?;
    let second = project.freight("web", "2.0.0").await?;
    let request = last_request(&project, "edge", &second).await?;
    ensure!(request["spec"]["targets"][0]["name"] == "store-1", "{request}");
    ensure!(request["status"]["phase"] == "Errored", "{request}");
    ensure!(request["status"].to_string().contains("FanOutUnavailable"), "{request}");
    project.settled("edge").await?;
    let requests = project.get("promotionrequests").await?["items"].take();
    ensure!(requests.as_array().map_or(0, Vec::len) == 2, "one for each: {requests}");
    ensure!(project.promotions("edge").await?.is_empty(), "there is a Promotion");
    Ok(())
}
