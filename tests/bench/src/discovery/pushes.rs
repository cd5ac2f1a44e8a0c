//! How long a push to each kind of repository takes to become Freight, when somebody asks for a refresh.

use std::time::Duration;

use anyhow::{Context as _, Result};
use dev_testkit::warehouse::{Origin, Watched};

use super::control::Control;
use crate::report::{Report, Row};

const PUSHES: usize = 5;
const LIMIT: Duration = Duration::from_secs(1);

pub(super) async fn measure(report: &mut Report) -> Result<()> {
    let control = Control::up().await?;
    for mut origin in Origin::all().await? {
        let kind = origin.kind();
        let what =
            format!("from a refresh to the Freight of a push, {kind}, slowest of {PUSHES} (s)");
        let first = origin.push().await?;
        let mut watched = Watched::create(&control.project, origin).await?;
        watched.await_freight(&first).await?;
        let slowest = slowest(&mut watched).await.context(kind)?;
        report.add(Row::at_most(&what, slowest.as_secs_f64(), LIMIT.as_secs_f64()));
    }
    control.stop().await
}

async fn slowest(watched: &mut Watched) -> Result<Duration> {
    let mut slowest = Duration::ZERO;
    for _ in 0..PUSHES {
        slowest = slowest.max(watched.push().await?);
    }
    Ok(slowest)
}
