//! Promotions whose makers name them, and Stages that belong to others.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::{
    project::{name_of, object},
    stage::{Stage, asking_step},
    world::World,
};

/// Names that sort the wrong way round: the order is that of creation all the same.
pub(crate) async fn foreign_names(world: &World) -> Result<()> {
    let project = world.project("foreign-names").await?;
    let (door, ask) = (project.door("deploy"), asking_step(&project.door_url("deploy")));
    project.stage(Stage::new("dev").direct("web").steps(&json!([ask]))).await?;
    let mut promotions = Vec::new();
    for (name, version) in [("zzz", "1.0.0"), ("mmm", "2.0.0"), ("aaa", "3.0.0")] {
        let freight = project.freight("web", version).await?;
        let body = object("Promotion", name, &json!({ "stage": "dev", "freight": freight }));
        let created = name_of(&project.create_in("promotions", &body).await?)?;
        ensure!(created.starts_with("dev.") && created.ends_with(&freight[..7]), "{created}");
        promotions.push((created, freight));
    }
    project.gate.open(&door);
    for (promotion, _) in &promotions {
        project.ended(promotion, "Succeeded").await?;
    }
    let stage = project.recorded("dev", &promotions[2].0).await?;
    let history = stage["status"]["freightHistory"].as_array().cloned().unwrap_or_default();
    let held = |it: &Value| it["items"]["Warehouse/web"]["name"].as_str().map(str::to_owned);
    let wanted: Vec<_> = promotions.iter().rev().map(|(_, it)| Some(it.clone())).collect();
    ensure!(history.iter().map(held).collect::<Vec<_>>() == wanted, "{}", stage["status"]);
    Ok(())
}

/// A Stage of a shard that nobody serves here, beside one of ours.
pub(crate) async fn other_shard(world: &World) -> Result<()> {
    let project = world.project("other-shard").await?;
    project.automate(&["dev", "far"]).await?;
    project.stage(Stage::new("far").direct("web").trivial().with("shard", json!("mars"))).await?;
    project.stage(Stage::new("dev").direct("web").trivial()).await?;
    let freight = project.freight("web", "1.0.0").await?;
    project.verified(&freight, "dev").await?;
    let promotion = project.promote("far", &freight).await?;
    project.settled("dev").await?;
    let stage = project.get("stages/far").await?;
    ensure!(stage["status"].get("conditions").is_none(), "{}", stage["status"]);
    let promotion = project.get(&format!("promotions/{promotion}")).await?;
    ensure!(promotion["status"]["phase"].is_null(), "{}", promotion["status"]);
    ensure!(promotion["metadata"]["labels"]["kargo.akuity.io/shard"] == "mars", "{promotion}");
    Ok(())
}
