//! Waiting for what a server does on its own time.

use std::time::{Duration, Instant};

use anyhow::Result;

const PAUSE: Duration = Duration::from_millis(100);

/// Runs `check` until it passes, for at most `patience`; then its last error stands.
pub(crate) async fn within<T, F, Checked>(patience: Duration, check: F) -> Result<T>
where
    F: Fn() -> Checked,
    Checked: Future<Output = Result<T>>,
{
    let start = Instant::now();
    loop {
        match check().await {
            Err(_) if start.elapsed() < patience => tokio::time::sleep(PAUSE).await,
            settled => return settled,
        }
    }
}

/// Runs `check` until it passes; for what takes a moment on a busy machine.
pub(crate) async fn soon<T, F, Checked>(check: F) -> Result<T>
where
    F: Fn() -> Checked,
    Checked: Future<Output = Result<T>>,
{
    within(Duration::from_secs(15), check).await
}
