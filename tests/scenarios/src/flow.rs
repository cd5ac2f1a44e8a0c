//! How Freight moves from Stage to Stage.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    stage::Stage,
    watching::{holds, is_ready, verification},
    world::World,
};

/// Freight, two Stages, nobody does anything.
pub(crate) async fn by_itself(world: &World) -> Result<()> {
    let project = world.project("by-itself").await?;
    project.automate(&["dev", "test"]).await?;
    project.stage(Stage::new("dev").direct("web").trivial()).await?;
    project.stage(Stage::new("test").after("web", &["dev"]).trivial()).await?;
    let freight = project.freight("web", "1.0.0").await?;
    project.verified(&freight, "test").await?;
    let stage = project.await_stage("dev", "it is ready", is_ready).await?;
    let promotions = project.promotions("dev").await?;
    ensure!(promotions.len() == 1, "promoted more than once: {promotions:?}");
    let (promotion, status) = (&promotions[0], &stage["status"]);
    ensure!(status["lastPromotion"]["name"] == promotion["metadata"]["name"], "{status}");
    ensure!(status["lastPromotion"]["status"]["phase"] == "Succeeded", "{status}");
    ensure!(status["currentPromotion"].is_null(), "{status}");
    ensure!(status["health"]["status"] == "Healthy", "{status}");
    ensure!(status["freightSummary"] == freight.as_str(), "{status}");
    ensure!(status["autoPromotionEnabled"] == true, "{status}");
    ensure!(status["observedGeneration"] == stage["metadata"]["generation"], "{status}");
    ensure!(holds(&stage, "web") == freight, "{status}");
    let verification = verification(&stage);
    ensure!(verification["phase"] == "Successful", "{verification}");
    ensure!(verification["finishTime"].is_string(), "{verification}");
    let state = &promotion["status"]["state"]["deployed"];
    ensure!(state["done"] == true, "{}", promotion["status"]);
    let name = promotion["metadata"]["name"].as_str().unwrap_or_default();
    let event = project.told("PromotionCreated", name).await?;
    let wanted = "Automatically promoted Freight from origin \"Warehouse/web\" for Stage \"dev\"";
    ensure!(event["message"] == wanted, "{event}");
    let marks = project.get(&format!("freights/{freight}")).await?["status"].take();
    for stage in ["dev", "test"] {
        ensure!(marks["currentlyIn"][stage]["since"].is_string(), "{marks}");
        ensure!(marks["verifiedIn"][stage]["verifiedAt"].is_string(), "{marks}");
    }
    Ok(())
}

/// Between two Stages one that only says that both ways lead to prod.
pub(crate) async fn control_flow(world: &World) -> Result<()> {
    let project = world.project("control-flow").await?;
    project.automate(&["dev", "prod"]).await?;
    project.stage(Stage::new("dev").direct("web").trivial()).await?;
    project.stage(Stage::new("fan-in").after("web", &["dev"])).await?;
    project.stage(Stage::new("prod").after("web", &["fan-in"]).trivial()).await?;
    let freight = project.freight("web", "1.0.0").await?;
    let verified = project.verified(&freight, "prod").await?;
    let marks = &verified["status"];
    ensure!(marks["verifiedIn"]["fan-in"].is_object(), "{marks}");
    ensure!(marks["currentlyIn"]["fan-in"].is_null(), "{marks}");
    let stage = project.await_stage("fan-in", "it is ready", is_ready).await?;
    ensure!(stage["status"]["freightSummary"] == "N/A", "{}", stage["status"]);
    ensure!(stage["status"]["freightHistory"].is_null(), "{}", stage["status"]);
    let refusal = project.promote_in_vain("fan-in", &freight).await?;
    ensure!(refusal.contains("defines no promotion steps"), "{refusal}");
    Ok(())
}

/// Time passes, and nothing else.
pub(crate) async fn soak(world: &World) -> Result<()> {
    let project = world.project("soak").await?;
    project.automate(&["dev", "test"]).await?;
    let sources = json!({ "stages": ["dev"], "requiredSoakTime": "4s" });
    project.stage(Stage::new("dev").direct("web").trivial()).await?;
    project.stage(Stage::new("test").from("web", &sources).trivial()).await?;
    let freight = project.freight("web", "1.0.0").await?;
    project.verified(&freight, "dev").await?;
    let refusal = project.promote_in_vain("test", &freight).await?;
    ensure!(refusal.contains("Freight is not available to this Stage"), "{refusal}");
    ensure!(project.promotions("test").await?.is_empty(), "promoted before it had soaked");
    // The Stage needs no refresh: it knows when to look again.
    let begin = std::time::Instant::now();
    project.verified(&freight, "test").await?;
    ensure!(begin.elapsed() < Duration::from_secs(20), "it took {:?}", begin.elapsed());
    Ok(())
}

/// A person says that Freight is good.
pub(crate) async fn approval(world: &World) -> Result<()> {
    let project = world.project("approval").await?;
    project.automate(&["prod"]).await?;
    project.stage(Stage::new("dev").direct("web").trivial()).await?;
    project.stage(Stage::new("prod").after("web", &["dev"]).trivial()).await?;
    let freight = project.freight("web", "1.0.0").await?;
    project.settled("prod").await?;
    ensure!(project.promotions("prod").await?.is_empty(), "nothing verified it");
    let approved = json!({ "approvedFor": { "prod": { "approvedAt": "2026-01-01T00:00:00Z" } } });
    project.patch(&format!("freights/{freight}/status"), &json!({ "status": approved })).await?;
    project.verified(&freight, "prod").await?;
    let freight = project.get(&format!("freights/{freight}")).await?;
    ensure!(freight["status"]["verifiedIn"]["dev"].is_null(), "{}", freight["status"]);
    Ok(())
}

/// The Stage goes, the Freight stays.
pub(crate) async fn deletion(world: &World) -> Result<()> {
    let project = world.project("deletion").await?;
    project.automate(&["dev"]).await?;
    project.stage(Stage::new("dev").direct("web").trivial()).await?;
    let freight = project.freight("web", "1.0.0").await?;
    project.verified(&freight, "dev").await?;
    project.await_stage("dev", "it is ready", is_ready).await?;
    project.delete("stages/dev").await?;
    let is_bare = |it: &Value| {
        ["currentlyIn", "verifiedIn"].iter().all(|map| it["status"][map]["dev"].is_null())
    };
    project.await_that(&format!("freights/{freight}"), "its marks are gone", is_bare).await?;
    let none = |list: &Value| list["items"].as_array().is_some_and(Vec::is_empty);
    project.await_that("stages", "the Stage is gone", none).await?;
    project.await_that("promotions", "its Promotions are gone", none).await?;
    Ok(())
}

/// The next one takes its place, and it keeps what it has earned.
pub(crate) async fn leaves(world: &World) -> Result<()> {
    let project = world.project("leaves").await?;
    project.automate(&["dev"]).await?;
    project.stage(Stage::new("dev").direct("web").trivial()).await?;
    let first = project.freight("web", "1.0.0").await?;
    project.verified(&first, "dev").await?;
    // A stay of no seconds would be none.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let second = project.freight("web", "2.0.0").await?;
    project.verified(&second, "dev").await?;
    let has_left = |it: &Value| it["status"]["currentlyIn"]["dev"].is_null();
    let left = project.await_that(&format!("freights/{first}"), "it has left", has_left).await?;
    let mark = &left["status"]["verifiedIn"]["dev"];
    ensure!(mark["longestSoak"].is_string(), "{}", left["status"]);
    Ok(())
}
