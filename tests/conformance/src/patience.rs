//! Waiting for what a server does on its own time.

use std::time::Duration;

use anyhow::Result;
use dev_testkit::{Patience, passed};

/// Runs `check` until it passes, for at most `patience`; then its last error stands.
pub(crate) async fn within<T, F, Checked>(patience: Duration, check: F) -> Result<T>
where
    F: Fn() -> Checked,
    Checked: Future<Output = Result<T>>,
{
    passed(Patience::of(patience), check).await
}

/// Runs `check` until it passes; for what takes a moment on a busy machine.
pub(crate) async fn soon<T, F, Checked>(check: F) -> Result<T>
where
    F: Fn() -> Checked,
    Checked: Future<Output = Result<T>>,
{
    within(Duration::from_secs(15), check).await
}
