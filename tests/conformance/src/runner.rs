//! Runs rows: many at once, because most wait for the server, and those that disturb others alone at the end.

use std::{panic::AssertUnwindSafe, time::Duration};

use anyhow::{Error, anyhow};
use futures::{FutureExt, StreamExt, future::join, future::join_all, stream};

use crate::{
    report,
    rows::{Check, Pace, Row, Run},
    world::Suite,
};

const AT_ONCE: usize = 8;
/// No row takes longer unless it hangs.
const PATIENCE: Duration = Duration::from_secs(110);

/// How a row ended.
pub(crate) enum Verdict {
    Passed,
    Failed(Error),
    Skipped(String),
}

/// A row and how it ended.
pub(crate) struct Outcome {
    pub(crate) row: &'static Row,
    pub(crate) verdict: Verdict,
}

/// A check's way to say that it cannot run here.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Skip(pub(crate) String);

/// Runs all rows and prints each as it ends; returns the outcomes by number.
pub(crate) async fn run(suite: &Suite, rows: &[&'static Row]) -> Vec<Outcome> {
    let of = |pace| rows.iter().copied().filter(move |row| row.pace() == pace);
    let quick = stream::iter(of(Pace::Quick))
        .map(|row| settle(suite, row))
        .buffer_unordered(AT_ONCE)
        .collect::<Vec<_>>();
    let (mut outcomes, slow) =
        join(quick, join_all(of(Pace::Slow).map(|row| settle(suite, row)))).await;
    outcomes.extend(slow);
    for row in of(Pace::Alone) {
        outcomes.push(settle(suite, row).await);
    }
    outcomes.sort_by_key(|outcome| outcome.row.number);
    outcomes
}

async fn settle(suite: &Suite, row: &'static Row) -> Outcome {
    let verdict = match row.check {
        Check::Runs(_, check) => judge(suite, row, check).await,
        Check::Elsewhere(place) => Verdict::Skipped(format!("covered elsewhere: {place}")),
    };
    let outcome = Outcome { row, verdict };
    report::line(&outcome);
    outcome
}

async fn judge(suite: &Suite, row: &Row, check: Run) -> Verdict {
    let world = suite.world(row.number);
    // A reply of an unforeseen shape may panic where a check changes it: that fails the row, not the run.
    let check = AssertUnwindSafe(check(&world)).catch_unwind();
    match tokio::time::timeout(PATIENCE, check).await {
        Ok(Ok(Ok(()))) => Verdict::Passed,
        Ok(Ok(Err(error))) => match error.downcast::<Skip>() {
            Ok(skip) => Verdict::Skipped(skip.0),
            Err(error) => Verdict::Failed(error),
        },
        Ok(Err(_)) => Verdict::Failed(anyhow!("the check panicked")),
        Err(_) => Verdict::Failed(anyhow!("not done after {PATIENCE:?}")),
    }
}
