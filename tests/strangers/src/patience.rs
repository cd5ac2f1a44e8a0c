//! Waiting for what others do on their own time.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// How long something may take on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(90);
/// Programs of strangers take their time, and asking costs the server they run on.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits until something is so.
pub(crate) async fn eventually(what: &str, is_so: impl AsyncFn() -> Result<bool>) -> Result<()> {
    let begin = Instant::now();
    while !is_so().await.with_context(|| what.to_owned())? {
        ensure!(begin.elapsed() < PATIENCE, "not within {} s: {what}", PATIENCE.as_secs());
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}
