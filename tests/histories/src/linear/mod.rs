//! Several clients on the same objects: what each saw, and when, must fit one order of all writes.

mod check;
mod client;
mod door;
mod record;

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::{Context, Result};
use dev_testkit::{Kargo, UpOptions};

use crate::dice::Dice;
use client::Worker;
use record::Record;

/// Clients at once.
const CLIENTS: usize = 8;

/// Kills the embedded server `kills` times while clients are at work; true when all that they saw fits.
pub(crate) async fn run(kills: u32, seed: u64) -> Result<bool> {
    let directory = tempfile::Builder::new().prefix("histories-").tempdir()?;
    let record = Arc::new(Record::default());
    let dice = Dice::new(seed);
    for life in 0..kills {
        let time = Duration::from_millis(300 + dice.below(900) as u64);
        live(directory.path(), life, seed, time, &record).await?;
    }
    let seen = record.take();
    let verdict = check::check(&seen);
    let told = match &verdict {
        Ok(()) => "linearizable".to_owned(),
        Err(error) => format!("NOT LINEARIZABLE (--first-seed {seed}): {error}"),
    };
    println!("{} reads and writes of {CLIENTS} clients, {kills} kills: {told}", seen.len());
    Ok(verdict.is_ok())
}

/// One life of the server, which ends in the middle of requests.
async fn live(
    data: &Path,
    life: u32,
    seed: u64,
    time: Duration,
    record: &Arc<Record>,
) -> Result<()> {
    let kargo = Kargo::up(data, &UpOptions::default()).await.context("start on what is there")?;
    let mut tasks = Vec::new();
    for number in 0..CLIENTS {
        let worker = Worker::new(kargo.client()?, number, life, seed, record.clone())?;
        tasks.push(tokio::spawn(worker.run()));
    }
    tokio::time::sleep(time).await;
    kargo.kill().await?;
    for task in tasks {
        task.await?;
    }
    Ok(())
}
