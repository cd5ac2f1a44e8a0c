//! Restores and migrations that are killed, and run again.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dev_testkit::{Client, Cluster};

use crate::{
    census::Census,
    command::{kargo, succeeds, text},
    pipeline::{BACKUP, PASSPHRASE, promotes},
    world::World,
};

/// Into a data directory.
pub(crate) async fn directory(world: &World) -> Result<()> {
    let whole = text(&world.path("whole"));
    let time = run(&restore(world, "--data-dir", &whole)).await?;
    let target = world.path("killed");
    killed(world, &restore(world, "--data-dir", &text(&target)), time).await?;
    let kargo = world.up(&target).await?;
    let saved = world.story().await.saved.clone().once_started();
    saved.ensure_same(&Census::take(&kargo.client()?).await?.once_started())?;
    promotes(world, kargo.kubeconfig()).await?;
    ensure!(kargo.stop().await? == Some(0), "kargo up did not stop well");
    Ok(())
}

/// Into kube-apiserver.
pub(crate) async fn cluster(world: &World) -> Result<()> {
    let cluster = Cluster::up(&world.path("another")).await?;
    let target = cluster.kubeconfig();
    let restore = restore(world, "--kubeconfig", &text(&target.path));
    killed(world, &restore, Duration::from_secs(4)).await?;
    let client = Client::new(target)?;
    world.story().await.saved.ensure_same(&Census::take(&client).await?)?;
    let kargo = world.up_on(target).await?;
    promotes(world, target).await?;
    ensure!(kargo.stop().await? == Some(0), "kargo up did not stop well");
    cluster.down().await
}

/// From a data directory into another one.
pub(crate) async fn migration(world: &World) -> Result<()> {
    let (from, target) = (text(&world.path("first")), world.path("moved"));
    let migrate = |to: &str| ["migrate", "--from", &from, "--to", to].map(str::to_owned).to_vec();
    let time = run(&migrate(&text(&world.path("moved whole")))).await?;
    killed(world, &migrate(&text(&target)), time).await?;
    let kargo = world.up(&target).await?;
    let saved = world.story().await.saved.clone().once_started();
    saved.ensure_same(&Census::take(&kargo.client()?).await?.once_started())?;
    ensure!(kargo.stop().await? == Some(0), "kargo up did not stop well");
    Ok(())
}

/// The command that restores the backup.
fn restore(world: &World, flag: &str, target: &str) -> Vec<String> {
    let (file, passphrase) = (text(&world.path(BACKUP)), text(&world.path(PASSPHRASE)));
    let all = [
        "restore",
        &file,
        flag,
        target,
        "--passphrase-file",
        &passphrase,
        "--install-analysis-kinds",
    ];
    all.map(str::to_owned).into()
}

/// Runs a command to its end, and returns how long that took.
async fn run(arguments: &[String]) -> Result<Duration> {
    let begin = Instant::now();
    succeeds(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    Ok(begin.elapsed())
}

/// Kills the command at moments that are spread over the time that it takes, and lets the last one live.
async fn killed(world: &World, arguments: &[String], time: Duration) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut interrupted = 0;
    for kill in 1..=world.kills {
        let mut child = kargo(&words)?.stdout(std::process::Stdio::null()).spawn()?;
        tokio::time::sleep(time * kill / (world.kills + 1)).await;
        interrupted += u32::from(child.try_wait()?.is_none());
        child.kill().await?;
    }
    ensure!(interrupted * 2 >= world.kills, "only {interrupted} of {} were in time", world.kills);
    println!("       {interrupted} of {} kills came before the end", world.kills);
    run(arguments).await.map(drop)
}
