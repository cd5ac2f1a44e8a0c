//! People who promote something else than the newest, and Stages that stay there.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    project::Project,
    stage::{Stage, asking_step, repository, trivial_step, version_of},
    watching::{holds, phase_of},
    world::World,
};

const ORIGIN: &str = "Warehouse/web";

/// A Stage that promotes by itself and asks at a door for each version; the first two versions are there.
async fn two_versions(world: &World, name: &'static str) -> Result<(Project, [String; 2])> {
    let project = world.project(name).await?;
    project.automate(&["dev"]).await?;
    let ask = asking_step(&project.door_url(&version_of("web")));
    project.stage(Stage::new("dev").direct("web").steps(&json!([ask]))).await?;
    let mut names = Vec::new();
    for version in ["1.0.0", "2.0.0"] {
        project.gate.open(&project.door(version));
        let freight = project.freight("web", version).await?;
        project.verified(&freight, "dev").await?;
        names.push(freight);
    }
    let [first, second] = [names.remove(0), names.remove(0)];
    Ok((project, [first, second]))
}

/// Back to the version before with one call, a newer one appears, and forward again with another call.
pub(crate) async fn rollback(world: &World) -> Result<()> {
    let (project, [first, second]) = two_versions(world, "rollback").await?;
    project.gate.close(&project.door("1.0.0"));
    let back = project.promote("dev", &first).await?;
    project.gate.await_visits(&project.door("1.0.0"), 2).await?;
    let is_effective = |it: &Value| {
        it["status"]["effectiveAutoPromotionHolds"][ORIGIN]["freightName"] == first.as_str()
    };
    let stage = project.await_stage("dev", "the hold counts already", is_effective).await?;
    ensure!(stage["status"]["autoPromotionHolds"][ORIGIN].is_null(), "{}", stage["status"]);
    project.gate.open(&project.door("3.0.0"));
    let third = project.freight("web", "3.0.0").await?;
    project.settled("dev").await?;
    ensure!(!project.promoted("dev").await?.contains(&third), "promoted in spite of the hold");
    project.gate.open(&project.door("1.0.0"));
    project.ended(&back, "Succeeded").await?;
    let stage = project.recorded("dev", &back).await?;
    let hold = &stage["status"]["autoPromotionHolds"][ORIGIN];
    ensure!(hold["freightName"] == first.as_str(), "{}", stage["status"]);
    ensure!(hold["promotionName"] == back.as_str(), "{hold}");
    ensure!(hold["actor"].as_str().is_some_and(|it| it.starts_with("kubernetes:")), "{hold}");
    ensure!(holds(&stage, "web") == first, "{}", stage["status"]);
    project.settled("dev").await?;
    ensure!(!project.promoted("dev").await?.contains(&third), "promoted in spite of the hold");
    // The hold outlives the Promotion that made it.
    project.delete(&format!("promotions/{back}")).await?;
    let stage = project.settled("dev").await?;
    ensure!(stage["status"]["autoPromotionHolds"][ORIGIN].is_object(), "{}", stage["status"]);
    let forward = project.promote_newest("dev", "web").await?;
    project.ended(&forward, "Succeeded").await?;
    let is_free = |it: &Value| {
        ["autoPromotionHolds", "effectiveAutoPromotionHolds"]
            .iter()
            .all(|map| it["status"][map][ORIGIN].is_null())
    };
    let stage = project.await_stage("dev", "the hold is lifted", is_free).await?;
    ensure!(holds(&stage, "web") == third, "{}", stage["status"]);
    project.gate.open(&project.door("4.0.0"));
    let fourth = project.freight("web", "4.0.0").await?;
    project.verified(&fourth, "dev").await?;
    let history = project.await_stage("dev", "it is recorded", |it| holds(it, "web") == fourth);
    let history = history.await?["status"]["freightHistory"].take();
    let names: Vec<_> = history
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| it["items"][ORIGIN]["name"].as_str())
        .collect();
    let wanted = [&fourth, &third, &first, &second, &first].map(|it| Some(it.as_str()));
    ensure!(names == wanted, "{names:?}");
    Ok(())
}

/// A person thinks better of it.
pub(crate) async fn aborted(world: &World) -> Result<()> {
    let (project, [first, _]) = two_versions(world, "aborted").await?;
    project.gate.close(&project.door("1.0.0"));
    let back = project.promote("dev", &first).await?;
    project.gate.await_visits(&project.door("1.0.0"), 2).await?;
    project.gate.open(&project.door("3.0.0"));
    let third = project.freight("web", "3.0.0").await?;
    let stage = project.settled("dev").await?;
    ensure!(stage["status"]["effectiveAutoPromotionHolds"][ORIGIN].is_object(), "{stage}");
    project.abort(&back).await?;
    let ended = project.ended(&back, "Aborted").await?;
    ensure!(phase_of(&ended) == "Aborted", "{}", ended["status"]);
    project.verified(&third, "dev").await?;
    let stage = project.settled("dev").await?;
    ensure!(stage["status"]["autoPromotionHolds"][ORIGIN].is_null(), "{}", stage["status"]);
    Ok(())
}

/// Two origins, of which one is held; and a way out that fails is a way out.
pub(crate) async fn one_of_two(world: &World) -> Result<()> {
    let project = world.project("one-of-two").await?;
    project.warehouse("api").await?;
    project.automate(&["dev"]).await?;
    let is_bad = format!("${{{{ imageFrom('{}').Tag == '3.0.0' }}}}", repository("web"));
    let fail = json!({ "uses": "fail", "if": is_bad, "config": { "message": "no" } });
    let steps = json!([fail, trivial_step()]);
    project.stage(Stage::new("dev").direct("web").direct("api").steps(&steps)).await?;
    let first = project.freight("web", "1.0.0").await?;
    project.verified(&first, "dev").await?;
    let second = project.freight("web", "2.0.0").await?;
    project.verified(&second, "dev").await?;
    let back = project.promote("dev", &first).await?;
    project.ended(&back, "Succeeded").await?;
    let stage = project.recorded("dev", &back).await?;
    ensure!(stage["status"]["autoPromotionHolds"][ORIGIN].is_object(), "{}", stage["status"]);
    project.freight("web", "3.0.0").await?;
    let api = project.freight("api", "1.0.0").await?;
    project.verified(&api, "dev").await?;
    let stage = project.settled("dev").await?;
    ensure!((holds(&stage, "web"), holds(&stage, "api")) == (&first, &api), "{stage}");
    let forward = project.promote_newest("dev", "web").await?;
    project.ended(&forward, "Failed").await?;
    let stage = project.recorded("dev", &forward).await?;
    ensure!(stage["status"]["autoPromotionHolds"][ORIGIN].is_null(), "{}", stage["status"]);
    ensure!(holds(&stage, "web") == first, "{}", stage["status"]);
    let fourth = project.freight("web", "4.0.0").await?;
    project.verified(&fourth, "dev").await?;
    Ok(())
}
