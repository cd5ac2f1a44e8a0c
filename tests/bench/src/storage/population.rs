//! A control plane with 22,000 objects: how fast it is ready, what it takes in memory, on the disk and of the processor.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use dev_testkit::{Kargo, UpOptions};

use super::OBJECT_BYTES;
use crate::{
    objects, process,
    report::{Report, Row},
};

const OBJECTS: usize = 22_000;
const IDLE: Duration = Duration::from_secs(20);

pub(super) async fn measure(small: bool, report: &mut Report) -> Result<()> {
    let count = if small { OBJECTS / 20 } else { OBJECTS };
    let directory = tempfile::tempdir()?;
    let kargo = Kargo::up(directory.path(), &UpOptions::default()).await?;
    let client = kargo.client()?;
    objects::namespace(&client, "population").await?;
    objects::fill(&client, "population", count, OBJECT_BYTES).await?;
    kargo.stop().await?;
    let live = (count * OBJECT_BYTES) as f64;
    let size = std::fs::metadata(directory.path().join("store.db"))?.len() as f64;
    report.add(Row::at_most("database for each byte of JSON in it (bytes)", size / live, 2.0));
    restart(directory.path(), report).await
}

async fn restart(directory: &Path, report: &mut Report) -> Result<()> {
    let begin = Instant::now();
    let kargo = Kargo::up(directory, &UpOptions::default()).await?;
    report.add(Row::at_most(
        "ready, 22,000 objects of 5 kB (s)",
        begin.elapsed().as_secs_f64(),
        0.4,
    ));
    let pid = kargo.pid().context("gone")?;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let before = process::processor_time(&[pid])?;
    tokio::time::sleep(IDLE).await;
    let used = process::processor_time(&[pid])?.saturating_sub(before);
    let resident = process::resident(pid)? as f64 / 1e6;
    report.add(Row::at_most("resident memory with them (MB)", resident, 220.0));
    let part = used.as_secs_f64() / IDLE.as_secs_f64() * 100.0;
    report.add(Row::at_most("idle, with all components (% of one core)", part, 0.5));
    kargo.stop().await.map(drop)
}
