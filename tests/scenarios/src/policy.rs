//! When Freight is promoted without being asked, and when not.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    stage::{Stage, repository, trivial_step},
    watching::{condition, holds, phase_of},
    world::World,
};

/// The first version never works.
pub(crate) async fn failed(world: &World) -> Result<()> {
    let project = world.project("failed").await?;
    project.automate(&["dev"]).await?;
    let is_bad = format!("${{{{ imageFrom('{}').Tag == '1.0.0' }}}}", repository("web"));
    let fail = json!({ "uses": "fail", "if": is_bad, "config": { "message": "as it must" } });
    project.stage(Stage::new("dev").direct("web").steps(&json!([fail, trivial_step()]))).await?;
    let bad = project.freight("web", "1.0.0").await?;
    let is_told = |it: &Value| condition(it, "Ready")[1] == "LastPromotionFailed";
    let stage = project.await_stage("dev", "the failure is told", is_told).await?;
    ensure!(stage["status"]["freightHistory"].is_null(), "a failure is no history");
    ensure!(condition(&stage, "Ready")[2].contains("as it must"), "{}", stage["status"]);
    project.settled("dev").await?;
    project.settled("dev").await?;
    ensure!(project.promoted("dev").await? == [bad.as_str()], "it was tried again");
    let good = project.freight("web", "2.0.0").await?;
    project.verified(&good, "dev").await?;
    project.settled("dev").await?;
    ensure!(project.promoted("dev").await? == [bad.as_str(), good.as_str()], "it was tried again");
    // A person may, and that the Stage stays where it is does not depend on success.
    let again = project.promote("dev", &bad).await?;
    project.ended(&again, "Failed").await?;
    let stage = project.recorded("dev", &again).await?;
    ensure!(holds(&stage, "web") == good, "{}", stage["status"]);
    let hold = &stage["status"]["autoPromotionHolds"]["Warehouse/web"];
    ensure!(hold["freightName"] == bad.as_str(), "{}", stage["status"]);
    Ok(())
}

/// No policy, then one, then none again.
pub(crate) async fn changed(world: &World) -> Result<()> {
    let project = world.project("changed").await?;
    project.stage(Stage::new("dev").direct("web").trivial()).await?;
    let first = project.freight("web", "1.0.0").await?;
    let stage = project.settled("dev").await?;
    ensure!(stage["status"]["autoPromotionEnabled"] != true, "{}", stage["status"]);
    ensure!(project.promotions("dev").await?.is_empty(), "nobody allowed it");
    project.automate(&["dev"]).await?;
    project.verified(&first, "dev").await?;
    project.automate(&[]).await?;
    let is_off = |it: &Value| it["status"]["autoPromotionEnabled"] != true;
    project.await_stage("dev", "it no longer promotes by itself", is_off).await?;
    project.freight("web", "2.0.0").await?;
    project.settled("dev").await?;
    ensure!(project.promoted("dev").await? == [first], "nobody allows it any more");
    Ok(())
}

/// Two policies for the same Stages, by pattern and by label.
pub(crate) async fn first_match(world: &World) -> Result<()> {
    let project = world.project("first-match").await?;
    let policies = json!([
        { "stageSelector": { "name": "glob:prod-*" }, "autoPromotionEnabled": false },
        { "stageSelector": { "name": "regex:^(dev|prod-eu)$" }, "autoPromotionEnabled": true },
    ]);
    let spec = json!({ "promotionPolicies": policies });
    let body = crate::project::object("ProjectConfig", project.name, &spec);
    project.create_in("projectconfigs", &body).await?;
    project.stage(Stage::new("dev").direct("web").trivial()).await?;
    project.stage(Stage::new("prod-eu").direct("web").trivial()).await?;
    let freight = project.freight("web", "1.0.0").await?;
    project.verified(&freight, "dev").await?;
    let stage = project.settled("prod-eu").await?;
    ensure!(stage["status"]["autoPromotionEnabled"] != true, "{}", stage["status"]);
    ensure!(project.promotions("prod-eu").await?.is_empty(), "the first policy forbids it");
    let promotions = project.promotions("dev").await?;
    ensure!(phase_of(&promotions[0]) == "Succeeded", "{}", promotions[0]["status"]);
    Ok(())
}

/// Two origins, one of which has lost its Warehouse: the other goes on.
pub(crate) async fn missing_warehouse(world: &World) -> Result<()> {
    let project = world.project("missing-warehouse").await?;
    project.automate(&["dev"]).await?;
    let stage = Stage::new("dev").direct("gone").direct("web").trivial();
    project.stage(stage).await?;
    let freight = project.freight("web", "1.0.0").await?;
    project.verified(&freight, "dev").await?;
    let is_told = |it: &Value| condition(it, "Stalled")[2].contains("gone");
    let stage = project.await_stage("dev", "it says what is missing", is_told).await?;
    ensure!(holds(&stage, "web") == freight, "{}", stage["status"]);
    project.warehouse("gone").await?;
    let is_well = |it: &Value| condition(it, "Stalled")[0] != "True";
    project.await_stage("dev", "it says so no longer", is_well).await?;
    Ok(())
}

/// The Stage before goes back, and the one behind follows it, though there is something newer.
pub(crate) async fn match_upstream(world: &World) -> Result<()> {
    let project = world.project("match-upstream").await?;
    project.automate(&["test"]).await?;
    project.stage(Stage::new("dev").direct("web").trivial()).await?;
    let follow = json!({ "selectionPolicy": "MatchUpstream" });
    let sources = json!({ "stages": ["dev"], "autoPromotionOptions": follow });
    project.stage(Stage::new("test").from("web", &sources).trivial()).await?;
    let first = project.freight("web", "1.0.0").await?;
    let second = project.freight("web", "2.0.0").await?;
    for freight in [&first, &second, &first] {
        let promotion = project.promote("dev", freight).await?;
        project.ended(&promotion, "Succeeded").await?;
        let follows = |it: &Value| holds(it, "web") == freight;
        project.await_stage("test", "it follows", follows).await?;
    }
    project.settled("test").await?;
    let wanted = [&first, &second, &first].map(String::as_str);
    ensure!(project.promoted("test").await? == wanted, "more was promoted");
    Ok(())
}
