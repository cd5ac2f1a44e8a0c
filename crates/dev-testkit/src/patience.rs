//! Waiting for what others do on their own time.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// How often is looked, unless said otherwise: looking costs the server that is asked.
const PAUSE: Duration = Duration::from_millis(100);

/// How long a test waits for something, and how often it looks.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    limit: Duration,
    pause: Duration,
}

impl Patience {
    /// So much of it.
    pub const fn of(limit: Duration) -> Self {
        Self { limit, pause: PAUSE }
    }

    /// The same, looking this often: for those who measure how long something takes.
    #[must_use]
    pub const fn looking_every(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// How long it lasts.
    pub const fn limit(self) -> Duration {
        self.limit
    }
}

/// Waits until something is so.
pub async fn eventually(
    patience: Patience,
    what: &str,
    is_so: impl AsyncFn() -> Result<bool>,
) -> Result<()> {
    found(patience, what, async || Ok(is_so().await?.then_some(()))).await
}

/// Waits until there is something, and returns it.
pub async fn found<T>(
    patience: Patience,
    what: &str,
    look: impl AsyncFn() -> Result<Option<T>>,
) -> Result<T> {
    let begin = Instant::now();
    loop {
        if let Some(found) = look().await.with_context(|| what.to_owned())? {
            return Ok(found);
        }
        let seconds = patience.limit.as_secs();
        ensure!(begin.elapsed() < patience.limit, "not within {seconds} s: {what}");
        tokio::time::sleep(patience.pause).await;
    }
}

/// Runs `check` until it passes, and returns what it gave; when patience ends, its last error stands.
pub async fn passed<T, F, Checked>(patience: Patience, check: F) -> Result<T>
where
    F: Fn() -> Checked,
    Checked: Future<Output = Result<T>>,
{
    let begin = Instant::now();
    loop {
        match check().await {
            Err(_) if begin.elapsed() < patience.limit => tokio::time::sleep(patience.pause).await,
            settled => return settled,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const SHORT: Patience = Patience::of(Duration::from_millis(50)).looking_every(Duration::ZERO);

    #[tokio::test]
    async fn what_comes_late_is_found_and_what_never_comes_is_named() -> Result<()> {
        let looks = Cell::new(0);
        let third = async || {
            looks.set(looks.get() + 1);
            Ok((looks.get() == 3).then_some("there"))
        };
        assert_eq!(found(SHORT, "the third look", third).await?, "there");
        let never = eventually(SHORT, "it snows", async || Ok(false)).await;
        assert_eq!(
            never.map_err(|error| error.to_string()),
            Err("not within 0 s: it snows".into())
        );
        Ok(())
    }

    #[tokio::test]
    async fn a_check_may_fail_until_patience_ends() {
        let looks = Cell::new(0);
        let third = async || -> Result<i32> {
            looks.set(looks.get() + 1);
            ensure!(looks.get() == 3, "look {}", looks.get());
            Ok(looks.get())
        };
        assert_eq!(passed(SHORT, third).await.ok(), Some(3));
        let never = async || -> Result<()> { anyhow::bail!("still dark") };
        let failed = passed(Patience::of(Duration::ZERO), never).await;
        assert_eq!(failed.map_err(|error| error.to_string()), Err("still dark".into()));
    }

    #[tokio::test]
    async fn a_failure_ends_the_wait_and_says_what_was_waited_for() {
        let failed = eventually(SHORT, "the reply", async || anyhow::bail!("no network")).await;
        assert_eq!(
            failed.map_err(|error| format!("{error:#}")),
            Err("the reply: no network".into())
        );
    }
}
