//! How long a Warehouse waits while a crowd of others keeps its registry busy, at the default rate.
//!
//! Registries are given their turns by a clock that moves on whenever a turn was used: the figure does not depend on the
//! machine, and hours pass in seconds.

use std::{
    future::Future,
    pin::pin,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use core_clock::{Clock as _, ManualClock, Time};
use futures::future::join_all;
use serde_json::json;
use tokio::task::JoinHandle;
use work_discovery::Discovery;

use super::{
    registry::{Dated, Registry},
    world::{LIMIT, Options, Warehouse, World},
};
use crate::report::{Report, Row};

/// One turn at the default rate of 20 requests in a second.
const TURN: Duration = Duration::from_millis(50);
/// The default interval of a Warehouse.
const INTERVAL: Duration = Duration::from_mins(5);
/// How long a turn may stay unused before the next one comes; nobody may be ready for it.
const UNUSED: Duration = Duration::from_millis(20);

pub(super) async fn measure(crowd: usize, tags: usize, report: &mut Report) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let registry = Registry::start(tags, Dated::InConfiguration).await?;
    let clock = ManualClock::new(Time::from_seconds(1_700_000_000));
    let options = Options { registry_clock: Some(clock.clone()), ..Options::default() };
    let world = World::open(directory.path(), options).await?;
    let turns = Turns { clock: &clock, registry: &registry };
    let busy = gather(crowd, &registry, &world.discovery)?;
    // Each has its list of tags and stands in line with what it read there.
    while registry.requests() < 2 * crowd as u64 {
        turns.next().await;
    }
    let (address, settings) = (registry.repository("unrelated"), json!({"discoveryLimit": LIMIT}));
    let unrelated = Warehouse::image("unrelated", &address, settings)?;
    let limit = INTERVAL.as_secs_f64();
    let what =
        "a new Warehouse is served by a registry where 250 others read 1,000 tags each, after (s)";
    let cold = turns.needed_for(&unrelated, &world.discovery).await?;
    report.add(Row::at_most(what, cold.as_secs_f64(), limit));
    let heads = registry.heads();
    let warm = turns.needed_for(&unrelated, &world.discovery).await?;
    ensure!(registry.heads() > heads, "the Warehouse asked for nothing");
    report.add(Row::at_most(
        "the same for a Warehouse that knows its images",
        warm.as_secs_f64(),
        limit,
    ));
    ensure!(busy.iter().any(|task| !task.is_finished()), "the crowd was done too early");
    for task in &busy {
        task.abort();
    }
    join_all(busy).await;
    Ok(())
}

/// Warehouses that begin to search among all tags of a repository of their own.
fn gather(
    crowd: usize,
    registry: &Registry,
    discovery: &Discovery,
) -> Result<Vec<JoinHandle<Result<()>>>> {
    let begin = |number: usize| -> Result<JoinHandle<Result<()>>> {
        let name = format!("busy-{number}");
        let settings = json!({"imageSelectionStrategy": "NewestBuild", "discoveryLimit": LIMIT});
        let warehouse = Warehouse::image(&name, &registry.repository(&name), settings)?;
        let discovery = discovery.clone();
        Ok(tokio::spawn(async move { warehouse.images(&discovery).await.map(drop) }))
    };
    (0..crowd).map(begin).collect()
}

/// Hands out the turns of a registry.
struct Turns<'a> {
    clock: &'a ManualClock,
    registry: &'a Registry,
}

impl Turns<'_> {
    /// How long one search takes by the clock of the registry.
    async fn needed_for(&self, warehouse: &Warehouse, discovery: &Discovery) -> Result<Duration> {
        let begin = self.clock.monotonic();
        self.until(warehouse.images(discovery)).await?;
        Ok(self.clock.monotonic().saturating_sub(begin))
    }

    /// Lets one turn come, and be used.
    async fn next(&self) {
        let before = self.registry.requests();
        self.clock.advance(TURN);
        let begin = Instant::now();
        while self.registry.requests() == before && begin.elapsed() < UNUSED {
            tokio::task::yield_now().await;
        }
    }

    /// Lets turns come until `search` is done.
    async fn until<T>(&self, search: impl Future<Output = Result<T>>) -> Result<T> {
        let mut search = pin!(search);
        loop {
            tokio::select! {
                biased;
                done = &mut search => return done,
                () = self.next() => {}
            }
        }
    }
}
