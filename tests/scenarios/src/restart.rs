//! A control plane that is killed in the middle of a Promotion, and started again.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::{
    project::Project,
    stage::{Stage, asking_step, trivial_step},
    watching::{holds, is_ready},
    world::World,
};

/// What is left after the kill.
#[derive(Clone, Copy)]
pub(crate) enum Disk {
    Kept,
    Lost,
}

/// The second of three steps is under way when it happens; each asks at a door of its own.
pub(crate) async fn mid_promotion(world: &mut World, disk: Disk) -> Result<()> {
    let name = match disk {
        Disk::Kept => "disk-kept",
        Disk::Lost => "disk-lost",
    };
    let project = world.project(name).await?;
    let mut first = asking_step(&project.door_url("first"));
    first["as"] = json!("first");
    let second = asking_step(&project.door_url("second"));
    project
        .stage(Stage::new("dev").direct("web").steps(&json!([first, second, trivial_step()])))
        .await?;
    project.gate.open(&project.door("first"));
    let freight = project.freight("web", "1.0.0").await?;
    let promotion = project.promote("dev", &freight).await?;
    let queued = project.promote("dev", &freight).await?;
    project.gate.await_visits(&project.door("second"), 1).await?;
    world.server.kill().await?;
    if matches!(disk, Disk::Lost) {
        world.server.lose_work()?;
    }
    world.server.up().await?;
    let project = project.on(world.server.client()?);
    project.gate.await_visits(&project.door("second"), 2).await?;
    let running = project.get(&format!("promotions/{promotion}")).await?;
    ensure!(running["status"]["phase"] == "Running", "{}", running["status"]);
    project.gate.open(&project.door("second"));
    ended_well(&project, &freight, &promotion, &queued).await?;
    let visits = project.gate.visits(&project.door("first"));
    // Once for the Promotion in the queue, and once more where the first step's work was lost.
    let wanted = match disk {
        Disk::Kept => 2,
        Disk::Lost => 3,
    };
    ensure!(visits == wanted, "the first step asked {visits} times instead of {wanted}");
    Ok(())
}

async fn ended_well(project: &Project, freight: &str, promotion: &str, queued: &str) -> Result<()> {
    let ended = project.ended(promotion, "Succeeded").await?;
    let steps = ended["status"]["stepExecutionMetadata"].as_array().cloned().unwrap_or_default();
    ensure!(steps.len() == 3, "{}", ended["status"]);
    ensure!(steps.iter().all(|step| step["status"] == "Succeeded"), "{}", ended["status"]);
    project.ended(queued, "Succeeded").await?;
    project.recorded("dev", queued).await?;
    project.verified(freight, "dev").await?;
    let stage = project.await_stage("dev", "it is ready", is_ready).await?;
    ensure!(holds(&stage, "web") == freight, "{}", stage["status"]);
    Ok(())
}
