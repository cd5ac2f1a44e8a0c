//! Waiting for what a server does on its own time.

use std::time::Duration;

use anyhow::Result;
use dev_testkit::{Patience, passed};

/// The garbage collector of a cluster looks for new kinds every half minute.
const PATIENCE: Patience = Patience::of(Duration::from_mins(1));

/// Runs `check` until it passes, for a while; then its last error stands.
pub(crate) async fn soon<T, F, Checked>(check: F) -> Result<T>
where
    F: Fn() -> Checked,
    Checked: Future<Output = Result<T>>,
{
    passed(PATIENCE, check).await
}
