//! One life of the server: start, check what is there, load, crash.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Kargo, UpOptions};
use serde_json::Value;

use crate::{
    journal::Journal,
    load::{self, CONFIG_MAPS},
    power_cut::PowerCut,
};

static ROUND: AtomicU64 = AtomicU64::new(1);

/// Starts, checks, loads for `life`, crashes.
pub(crate) async fn run(
    data: &Path,
    power: Option<&PowerCut>,
    journal: &Arc<Journal>,
    life: Duration,
) -> Result<()> {
    let (kargo, client) = start(data, power, journal).await?;
    let round = ROUND.fetch_add(1, Ordering::Relaxed);
    let writers: Vec<_> = (0..load::WRITERS)
        .map(|writer| tokio::spawn(load::write(client.clone(), journal.clone(), writer, round)))
        .collect();
    tokio::time::sleep(life).await;
    kargo.kill().await?;
    for writer in writers {
        writer.await?;
    }
    if let Some(power) = power {
        power.take_back_unsynced()?;
    }
    Ok(())
}

/// Starts once more and checks, without a crash.
pub(crate) async fn check(
    data: &Path,
    power: Option<&PowerCut>,
    journal: &Arc<Journal>,
) -> Result<()> {
    let (kargo, _) = start(data, power, journal).await?;
    ensure!(kargo.stop().await? == Some(0), "a clean stop exits with 0");
    Ok(())
}

async fn start(
    data: &Path,
    power: Option<&PowerCut>,
    journal: &Arc<Journal>,
) -> Result<(Kargo, Client)> {
    let options = UpOptions {
        environment: power.map(|power| power.environment(data)).unwrap_or_default(),
        ..UpOptions::default()
    };
    let kargo = Kargo::up(data, &options).await.context("start after a crash")?;
    let client = kargo.client()?;
    let list = client.get(&format!("{CONFIG_MAPS}?labelSelector=crash%3Dyes")).await?;
    let (shown, revision) = load::shown(&list)?;
    journal.compare(&shown, revision)?;
    resume_watch(&client, revision.saturating_sub(50)).await?;
    Ok((kargo, client))
}

/// A watch from a revision before the crash must replay in order, or say 410.
async fn resume_watch(client: &Client, from: u64) -> Result<()> {
    if from == 0 {
        return Ok(());
    }
    let path = format!("{CONFIG_MAPS}?watch=true&resourceVersion={from}&timeoutSeconds=1");
    let mut lines = client.lines(&path, &[]).await?;
    let mut last = from;
    while let Some(event) = lines.next_json(Duration::from_secs(5)).await? {
        if event.get("type").and_then(Value::as_str) == Some("ERROR") {
            ensure!(
                event.pointer("/object/code").and_then(Value::as_u64) == Some(410),
                "watch failed: {event}"
            );
            return Ok(());
        }
        let revision = event.pointer("/object/metadata/resourceVersion").and_then(Value::as_str);
        let revision: u64 = revision.context("an event without resourceVersion")?.parse()?;
        ensure!(revision > last, "watch went back: {revision} after {last}");
        last = revision;
    }
    Ok(())
}
