//! Waiting for what a server does on its own time.

use std::time::{Duration, Instant};

use anyhow::Result;

const PAUSE: Duration = Duration::from_millis(100);
/// The garbage collector of a cluster looks for new kinds every half minute.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs `check` until it passes, for a while; then its last error stands.
pub(crate) async fn soon<T, F, Checked>(check: F) -> Result<T>
where
    F: Fn() -> Checked,
    Checked: Future<Output = Result<T>>,
{
    let start = Instant::now();
    loop {
        match check().await {
            Err(_) if start.elapsed() < PATIENCE => tokio::time::sleep(PAUSE).await,
            settled => return settled,
        }
    }
}
