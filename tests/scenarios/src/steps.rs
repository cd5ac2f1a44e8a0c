//! Steps of Promotions: errors, tasks, long messages, Git.

use anyhow::{Result, ensure};
use dev_testkit::server::GitHttp;
use serde_json::{Value, json};

use crate::{
    project::object,
    stage::{Stage, asking_step, repository, trivial_step, version_of},
    watching::{condition, is_ready, phase_of},
    world::World,
};

/// The longest message that a condition may have.
const MAX_MESSAGE: usize = 32_768;

fn step_statuses(promotion: &Value) -> Vec<&str> {
    let steps = promotion["status"]["stepExecutionMetadata"].as_array();
    steps.into_iter().flatten().map(|step| step["status"].as_str().unwrap_or_default()).collect()
}

/// A server that hangs up; two steps behind, one of which minds.
pub(crate) async fn retried(world: &World) -> Result<()> {
    let project = world.project("retried").await?;
    let door = project.door("deploy");
    let mut ask = asking_step(&project.door_url("deploy"));
    ask["retry"] = json!({ "errorThreshold": 3, "timeout": "10m" });
    let minds = json!({ "uses": "compose-output", "as": "minds", "config": { "a": 1 } });
    let last = json!({ "uses": "compose-output", "as": "last", "if": "${{ always() }}", "config": { "a": 1 } });
    project.stage(Stage::new("dev").direct("web").steps(&json!([ask, minds, last]))).await?;
    project.gate.hang_up(&door);
    let freight = project.freight("web", "1.0.0").await?;
    let promotion = project.promote("dev", &freight).await?;
    let is_retried = |it: &Value| {
        let entry = &it["status"]["stepExecutionMetadata"][0];
        let said = entry["message"].as_str().unwrap_or_default();
        phase_of(it) == "Running"
            && entry["status"] == "Errored"
            && said.ends_with("; step will be retried")
    };
    project
        .await_that(&format!("promotions/{promotion}"), "its step is retried", is_retried)
        .await?;
    let ended = project.ended(&promotion, "Errored").await?;
    ensure!(project.gate.visits(&door) == 3, "{} attempts", project.gate.visits(&door));
    ensure!(step_statuses(&ended) == ["Errored", "Skipped", "Succeeded"], "{}", ended["status"]);
    let entry = &ended["status"]["stepExecutionMetadata"][0];
    ensure!(entry["errorCount"] == 3, "{entry}");
    ensure!(ended["status"]["state"]["last"]["a"] == 1, "{}", ended["status"]);
    Ok(())
}

/// The task fails, and the step after it must not run; only who wants to hear of failures does.
pub(crate) async fn task(world: &World) -> Result<()> {
    let project = world.project("task").await?;
    let steps = json!([
        { "uses": "compose-output", "as": "before", "config": { "version": "${{ vars.version }}" } },
        { "uses": "fail", "as": "check", "config": { "message": "not ${{ vars.version }}" } },
    ]);
    let spec = json!({ "vars": [{ "name": "version" }], "steps": steps });
    project.create_in("promotiontasks", &object("PromotionTask", "gated", &spec)).await?;
    let (merge, tell) = (project.door("merge"), project.door("tell"));
    let mut telling = asking_step(&project.door_url("tell"));
    telling["as"] = json!("tell");
    telling["if"] = json!("${{ failure() }}");
    let steps = json!([
        { "task": { "name": "gated" }, "as": "gated", "vars": [{ "name": "version", "value": version_of("web") }] },
        asking_step(&project.door_url("merge")),
        telling,
    ]);
    project.stage(Stage::new("dev").direct("web").steps(&steps)).await?;
    for door in [&merge, &tell] {
        project.gate.open(door);
    }
    let freight = project.freight("web", "1.0.0").await?;
    let promotion = project.promote("dev", &freight).await?;
    let ended = project.ended(&promotion, "Failed").await?;
    let wanted = ["Succeeded", "Failed", "Skipped", "Succeeded"];
    ensure!(step_statuses(&ended) == wanted, "{}", ended["status"]);
    ensure!(ended["status"]["state"]["gated::before"]["version"] == "1.0.0", "{}", ended["status"]);
    let message = ended["status"]["message"].as_str().unwrap_or_default();
    ensure!(message.contains("not 1.0.0"), "{message}");
    let visits = (project.gate.visits(&merge), project.gate.visits(&tell));
    ensure!(visits == (0, 1), "{visits:?}");
    Ok(())
}

/// More than a condition can hold; the Stage must not choke on it.
pub(crate) async fn long_message(world: &World) -> Result<()> {
    let project = world.project("long-message").await?;
    let is_bad = format!("${{{{ imageFrom('{}').Tag == '1.0.0' }}}}", repository("web"));
    let message = "a line of an error from far away\n".repeat(3_000);
    let fail = json!({ "uses": "fail", "if": is_bad, "config": { "message": message } });
    project.stage(Stage::new("dev").direct("web").steps(&json!([fail, trivial_step()]))).await?;
    let bad = project.freight("web", "1.0.0").await?;
    let promotion = project.promote("dev", &bad).await?;
    let ended = project.ended(&promotion, "Failed").await?;
    let said = ended["status"]["message"].as_str().unwrap_or_default();
    ensure!(said.contains("from far away"), "{said:.200}");
    let stage = project.recorded("dev", &promotion).await?;
    let said = condition(&stage, "Ready")[2].clone();
    ensure!(said.contains("from far away") && said.len() <= MAX_MESSAGE, "{} bytes", said.len());
    let good = project.freight("web", "2.0.0").await?;
    let promotion = project.promote("dev", &good).await?;
    project.ended(&promotion, "Succeeded").await?;
    project.verified(&good, "dev").await?;
    project.await_stage("dev", "it is ready", is_ready).await?;
    Ok(())
}

/// Clone, change a file, commit, push; the version is then in the repository.
pub(crate) async fn git(world: &World) -> Result<()> {
    let server = GitHttp::start().await?;
    let repository = server.repository("config.git")?;
    repository.git(&["config", "http.receivepack", "true"])?;
    repository.commit("main", "begin", &[("dev/values.yaml", "image:\n  tag: none\n")])?;
    let project = world.project("git").await?;
    project.automate(&["dev"]).await?;
    let (url, tag) = (server.url("config.git"), version_of("web"));
    let updates = json!([{ "key": "image.tag", "value": tag }]);
    let steps = json!([
        { "uses": "git-clone", "config": { "repoURL": url, "checkout": [{ "branch": "main", "path": "./config" }] } },
        { "uses": "yaml-update", "config": { "path": "./config/dev/values.yaml", "updates": updates } },
        { "uses": "git-commit", "config": { "path": "./config", "message": format!("dev: {tag}") } },
        { "uses": "git-push", "as": "push", "config": { "path": "./config" } },
    ]);
    project.stage(Stage::new("dev").direct("web").steps(&steps)).await?;
    for version in ["1.0.0", "2.0.0"] {
        let freight = project.freight("web", version).await?;
        project.verified(&freight, "dev").await?;
        let values = repository.git(&["show", "main:dev/values.yaml"])?;
        ensure!(values == format!("image:\n  tag: {version}"), "{values}");
    }
    let promotions = project.promotions("dev").await?;
    let pushed = promotions.last().map(|it| &it["status"]["state"]["push"]["commit"]);
    let tip = repository.git(&["rev-parse", "main"])?;
    ensure!(pushed.is_some_and(|it| *it == tip.as_str()), "{pushed:?} is not {tip}");
    ensure!(repository.git(&["rev-list", "--count", "main"])? == "3", "one commit for each");
    Ok(())
}
