//! Row 139: a snapshot under load, and what clients see after it was put back.

use std::path::Path;

use anyhow::{Result, ensure};
use futures::future::try_join;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{
    engine::{Engine, Server},
    expect::{at, equal, revision},
    namespace::config_map,
    runner::Skip,
    world::{Suite, World},
};

/// Enough for the snapshot to be taken in between.
const WRITES: usize = 300;

pub(crate) async fn snapshot_under_load(world: &World<'_>) -> Result<()> {
    if world.engine() == Engine::Cluster {
        let why = "snapshots of etcd are no part of kube-apiserver, and restoring one takes revisions back";
        return Err(Skip(why.to_owned()).into());
    }
    let server = Server::start(Engine::Embedded).await?;
    let suite = Suite::new(Engine::Embedded, server.kubeconfig())?;
    let before = suite.world(139);
    let namespace = before.namespace().await?;
    let maps = namespace.core("configmaps");
    let early = before.create(&maps, &config_map("early", json!({"a": "b"}))).await?;
    let files = tempfile::tempdir()?;
    let snapshot = files.path().join("snapshot");
    try_join(load(&before, &maps), backup(server.directory(), &snapshot)).await?;
    let late = before.create(&maps, &config_map("late", json!({}))).await?;
    let server =
        server.restart_after(async |directory| restore(directory, &snapshot).await).await?;
    let suite = Suite::new(Engine::Embedded, server.kubeconfig())?;
    let after = suite.world(139);
    restored(&after, &maps, &early, &late).await?;
    server.stop().await
}

async fn load(world: &World<'_>, maps: &str) -> Result<()> {
    for number in 0..WRITES {
        world.create(maps, &config_map(&format!("load-{number:03}"), json!({}))).await?;
    }
    Ok(())
}

async fn backup(directory: &Path, snapshot: &Path) -> Result<()> {
    let mut command = Command::new(dev_testkit::binary()?);
    command.arg("backup").arg("--data-dir").arg(directory).arg("--snapshot").arg(snapshot);
    succeeds(command).await
}

async fn restore(directory: &Path, snapshot: &Path) -> Result<()> {
    let mut command = Command::new(dev_testkit::binary()?);
    command.arg("restore").arg(snapshot).arg("--data-dir").arg(directory);
    succeeds(command).await
}

async fn succeeds(mut command: Command) -> Result<()> {
    let output = command.output().await?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// What was written before is there, a beginning of the load, nothing later; revisions go on above all that were seen.
async fn restored(world: &World<'_>, maps: &str, early: &Value, late: &Value) -> Result<()> {
    let list = world.read(maps).await?;
    ensure!(
        revision(&list)? > revision(late)?,
        "revisions went back: {} in the list",
        revision(&list)?
    );
    equal("early", &world.read(&format!("{maps}/early")).await?["data"], &early["data"])?;
    world.get(&format!("{maps}/late")).await?.fails(404, "NotFound")?;
    let items = list["items"].as_array().into_iter().flatten();
    let load: Vec<&str> = items
        .filter_map(|item| item.pointer("/metadata/name")?.as_str())
        .filter(|name| name.starts_with("load-"))
        .collect();
    let beginning: Vec<String> =
        (0..load.len()).map(|number| format!("load-{number:03}")).collect();
    equal("load", &load, &beginning.iter().map(String::as_str).collect())?;
    let old = revision(late)?;
    let mut watch = world.watch(maps, &format!("resourceVersion={old}")).await?;
    let event = watch.next().await?;
    equal("watch from an old revision", &event.kind.as_str(), &"ERROR")?;
    at(&event.object, "/code", 410)?;
    let exact = format!("{maps}?resourceVersion={old}&resourceVersionMatch=Exact");
    world.get(&exact).await?.fails(410, "Expired")?;
    let newer = world
        .read(&format!("{maps}?resourceVersion={old}&resourceVersionMatch=NotOlderThan"))
        .await?;
    ensure!(revision(&newer)? > old, "an old list");
    Ok(())
}
