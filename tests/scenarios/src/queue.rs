//! Promotions of one Stage: one at a time, and what becomes of those that are taken out.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    project::REFRESH,
    stage::{Stage, asking_step, trivial_step},
    watching::{condition, holds, is_ready, phase_of},
    world::World,
};

/// A step that is cut off ends long before its own patience.
const SOON: Duration = Duration::from_secs(30);
/// Enough for another time in a status.
const SECOND: Duration = Duration::from_millis(1100);

/// Three at once.
pub(crate) async fn in_order(world: &World) -> Result<()> {
    let project = world.project("in-order").await?;
    let ask = asking_step(&project.door_url("deploy"));
    project.stage(Stage::new("dev").direct("web").steps(&json!([ask]))).await?;
    let mut promotions = Vec::new();
    for version in ["1.0.0", "2.0.0", "3.0.0"] {
        let freight = project.freight("web", version).await?;
        promotions.push(project.promote("dev", &freight).await?);
    }
    project.gate.await_visits(&project.door("deploy"), 1).await?;
    let stage = project.settled("dev").await?;
    let first = promotions[0].as_str();
    ensure!(stage["status"]["currentPromotion"]["name"] == first, "{}", stage["status"]);
    ensure!(condition(&stage, "Promoting")[1] == "ActivePromotion", "{}", stage["status"]);
    ensure!(stage["status"]["health"]["status"] == "Unknown", "{}", stage["status"]);
    let last = format!("promotions/{}", promotions[2]);
    let waiting = project.await_that(&last, "it waits", |it| phase_of(it) == "Pending").await?;
    ensure!(waiting["status"]["startedAt"].is_null(), "{}", waiting["status"]);
    ensure!(project.gate.visits(&project.door("deploy")) == 1, "two run at once");
    project.gate.open(&project.door("deploy"));
    let mut times = Vec::new();
    for promotion in &promotions {
        let ended = project.ended(promotion, "Succeeded").await?;
        let time = |field| ended["status"][field].as_str().unwrap_or_default().to_owned();
        times.push((time("startedAt"), time("finishedAt")));
    }
    ensure!(times.windows(2).all(|pair| pair[0].1 <= pair[1].0), "they overlap: {times:?}");
    let stage = project.recorded("dev", &promotions[2]).await?;
    let history = stage["status"]["freightHistory"].as_array().map_or(0, Vec::len);
    ensure!(history == 3, "{}", stage["status"]);
    Ok(())
}

/// The server of its step does not answer.
pub(crate) async fn abort_in_step(world: &World) -> Result<()> {
    let project = world.project("abort-in-step").await?;
    let ask = asking_step(&project.door_url("deploy"));
    let steps = json!([trivial_step(), ask, { "uses": "compose-output", "as": "never", "config": { "a": 1 } }]);
    project.stage(Stage::new("dev").direct("web").steps(&steps)).await?;
    let freight = project.freight("web", "1.0.0").await?;
    let promotion = project.promote("dev", &freight).await?;
    project.gate.await_visits(&project.door("deploy"), 1).await?;
    let begin = Instant::now();
    project.abort(&promotion).await?;
    let ended = project.ended(&promotion, "Aborted").await?;
    ensure!(begin.elapsed() < SOON, "it took {:?}", begin.elapsed());
    let status = &ended["status"];
    let message = status["message"].as_str().unwrap_or_default();
    ensure!(message.starts_with("Promotion terminated by kubernetes:"), "{status}");
    let steps = status["stepExecutionMetadata"].as_array().cloned().unwrap_or_default();
    let phases: Vec<_> = steps.iter().map(|step| step["status"].as_str()).collect();
    ensure!(phases == [Some("Succeeded"), Some("Aborted")], "{status}");
    project.told("PromotionAborted", &promotion).await?;
    let stage = project.recorded("dev", &promotion).await?;
    ensure!(condition(&stage, "Ready")[1] == "LastPromotionAborted", "{}", stage["status"]);
    ensure!(holds(&stage, "web").is_empty(), "{}", stage["status"]);
    project.gate.open(&project.door("deploy"));
    let next = project.promote("dev", &freight).await?;
    project.ended(&next, "Succeeded").await?;
    Ok(())
}

/// Two origins; the second one's Promotion is taken out of the queue.
pub(crate) async fn abort_queued(world: &World) -> Result<()> {
    let project = world.project("abort-queued").await?;
    project.warehouse("api").await?;
    let (door, ask) = (project.door("deploy"), asking_step(&project.door_url("deploy")));
    let stage = Stage::new("dev").direct("web").direct("api").steps(&json!([ask]));
    project.stage(stage).await?;
    let [web, newer_web] =
        [project.freight("web", "1.0.0").await?, project.freight("web", "2.0.0").await?];
    let [api, newer_api] =
        [project.freight("api", "1.0.0").await?, project.freight("api", "2.0.0").await?];
    project.gate.open(&door);
    for freight in [&web, &api] {
        let promotion = project.promote("dev", freight).await?;
        project.ended(&promotion, "Succeeded").await?;
        project.recorded("dev", &promotion).await?;
    }
    project.gate.close(&door);
    let running = project.promote("dev", &newer_web).await?;
    project.gate.await_visits(&door, 3).await?;
    let queued = project.promote("dev", &newer_api).await?;
    // Times are whole seconds: of what ends in the same one, a success is what counts as the last.
    tokio::time::sleep(SECOND).await;
    project.abort(&queued).await?;
    let aborted = project.ended(&queued, "Aborted").await?;
    ensure!(aborted["status"]["startedAt"].is_null(), "{}", aborted["status"]);
    let stage = project.recorded("dev", &queued).await?;
    let items = &stage["status"]["lastPromotion"]["status"]["freightCollection"]["items"];
    ensure!(items["Warehouse/web"]["name"] == web.as_str(), "{}", stage["status"]);
    ensure!(items["Warehouse/api"]["name"] == api.as_str(), "{}", stage["status"]);
    project.gate.open(&door);
    project.ended(&running, "Succeeded").await?;
    let stage = project.recorded("dev", &running).await?;
    ensure!((holds(&stage, "web"), holds(&stage, "api")) == (&newer_web, &api), "{stage}");
    ensure!(stage["status"]["freightSummary"] == "2/2 Fulfilled", "{}", stage["status"]);
    let next = project.promote("dev", &newer_api).await?;
    project.ended(&next, "Succeeded").await?;
    let stage = project.recorded("dev", &next).await?;
    ensure!((holds(&stage, "web"), holds(&stage, "api")) == (&newer_web, &newer_api), "{stage}");
    Ok(())
}

/// While its step waits.
pub(crate) async fn deleted(world: &World) -> Result<()> {
    let project = world.project("deleted").await?;
    let (door, ask) = (project.door("deploy"), asking_step(&project.door_url("deploy")));
    project.stage(Stage::new("dev").direct("web").steps(&json!([ask]))).await?;
    let freight = project.freight("web", "1.0.0").await?;
    let first = project.promote("dev", &freight).await?;
    project.gate.await_visits(&door, 1).await?;
    let second = project.promote("dev", &freight).await?;
    project.delete(&format!("promotions/{first}")).await?;
    project.gate.await_visits(&door, 2).await?;
    project.gate.open(&door);
    project.ended(&second, "Succeeded").await?;
    project.recorded("dev", &second).await?;
    Ok(())
}

/// A step that looks again in an hour is looked at now; what was done before is not done again.
pub(crate) async fn refreshed(world: &World) -> Result<()> {
    let project = world.project("refreshed").await?;
    let (done, poll) = (project.door("done"), project.door("poll"));
    let mut first = asking_step(&project.door_url("done"));
    first["as"] = json!("done");
    let second = json!({ "uses": "http", "as": "poll", "config": {
        "url": project.door_url("poll"), "pollInterval": "1h",
        "successExpression": "response.body.ready == true",
    } });
    let stage = Stage::new("dev").direct("web").steps(&json!([first, second]));
    project.stage(stage).await?;
    project.gate.open(&done);
    project.gate.answer(&poll, 200, json!({ "ready": false }));
    let freight = project.freight("web", "1.0.0").await?;
    let promotion = project.promote("dev", &freight).await?;
    let resource = format!("promotions/{promotion}");
    for count in 1..=3 {
        project.gate.await_visits(&poll, count).await?;
        let is_waiting = |it: &Value| phase_of(it) == "Running" && it["status"]["currentStep"] == 1;
        project.await_that(&resource, "it waits", is_waiting).await?;
        if count == 3 {
            project.gate.answer(&poll, 200, json!({ "ready": true }));
        }
        project.annotate(&resource, REFRESH, &project.token()).await?;
    }
    let ended = project.ended(&promotion, "Succeeded").await?;
    ensure!(project.gate.visits(&done) == 1, "the first step ran again");
    ensure!(project.gate.visits(&poll) == 4, "{} looks", project.gate.visits(&poll));
    let asked = &ended["metadata"]["annotations"][REFRESH];
    ensure!(ended["status"]["lastHandledRefresh"] == *asked, "{}", ended["status"]);
    Ok(())
}

/// The last of three is taken out while the first runs; the second is recorded all the same.
pub(crate) async fn out_of_order(world: &World) -> Result<()> {
    let project = world.project("out-of-order").await?;
    let (door, ask) = (project.door("deploy"), asking_step(&project.door_url("deploy")));
    project.stage(Stage::new("dev").direct("web").steps(&json!([ask]))).await?;
    let (mut promotions, mut freight) = (Vec::new(), Vec::new());
    for version in ["1.0.0", "2.0.0", "3.0.0"] {
        freight.push(project.freight("web", version).await?);
        promotions.push(project.promote("dev", &freight[freight.len() - 1]).await?);
    }
    project.gate.await_visits(&door, 1).await?;
    project.abort(&promotions[2]).await?;
    project.ended(&promotions[2], "Aborted").await?;
    project.recorded("dev", &promotions[2]).await?;
    project.gate.open(&door);
    for promotion in &promotions[..2] {
        project.ended(promotion, "Succeeded").await?;
    }
    let stage = project.recorded("dev", &promotions[1]).await?;
    ensure!(holds(&stage, "web") == freight[1], "{}", stage["status"]);
    for verified in &freight[..2] {
        project.verified(verified, "dev").await?;
    }
    project.await_stage("dev", "it is ready", is_ready).await?;
    Ok(())
}
