//! How fast `kargo up` is ready, and how much memory it holds.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use dev_testkit::{Kargo, UpOptions};

use crate::{
    objects, process,
    report::{Report, Row},
};

const OBJECTS: usize = 50_000;
const OBJECT_BYTES: usize = 2_000;

/// Empty first, then with 50,000 objects.
pub(crate) async fn measure(report: &mut Report) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let empty = start(directory.path()).await?;
    report.add(Row::at_most("ready, empty (s)", empty.ready.as_secs_f64(), 0.5));
    report.add(Row::at_most(
        "resident memory, empty and idle (MB)",
        megabytes(empty.resident),
        40.0,
    ));
    let client = empty.kargo.client()?;
    objects::namespace(&client, "startup").await?;
    objects::fill(&client, "startup", OBJECTS, OBJECT_BYTES).await?;
    empty.kargo.stop().await?;
    let full = start(directory.path()).await?;
    report.add(Row::at_most("ready, 50,000 objects of 2 kB (s)", full.ready.as_secs_f64(), 2.0));
    let each = full.resident.saturating_sub(empty.resident) as f64 / OBJECTS as f64;
    report.add(Row::at_most(
        "memory for each of them (bytes)",
        each,
        3_000.0 + 2.0 * OBJECT_BYTES as f64,
    ));
    full.kargo.stop().await?;
    Ok(())
}

struct Started {
    kargo: Kargo,
    ready: Duration,
    resident: u64,
}

async fn start(directory: &std::path::Path) -> Result<Started> {
    let before = Instant::now();
    let kargo = Kargo::up(directory, &UpOptions::default()).await?;
    let ready = before.elapsed();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let resident = process::resident(kargo.pid().context("gone")?)?;
    Ok(Started { kargo, ready, resident })
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
