//! Discovery against its limits: what Warehouses cost the servers they watch, and the machine they run on.
//!
//! Most rows are counts taken at the server or at the process table, so that they hold on every machine.

mod children;
mod control;
mod crowd;
mod fleet;
mod history;
mod images;
mod leftovers;
mod programs;
mod pushes;
mod registry;
mod ssh;
mod tap;
mod unchanged;
mod world;

use anyhow::Result;

pub(crate) use self::{history::walk, programs::Programs};
use crate::report::Report;

/// How much of everything.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    /// Commits of the repository that a fleet of Warehouses watches.
    fleet_commits: u64,
    /// Commits of a history that is walked to its end.
    history_commits: u64,
    /// Tags of an image repository.
    tags: usize,
    /// Warehouses that keep one registry busy.
    crowd: usize,
    /// Discoveries after which the process table is looked at.
    discoveries: usize,
}

impl Sizes {
    /// What the limits speak of.
    pub(crate) const FULL: Self = Self {
        fleet_commits: 15_000,
        history_commits: 800_000,
        tags: 1_000,
        crowd: 250,
        discoveries: 10_000,
    };
    /// For a quick look.
    pub(crate) const SMALL: Self = Self {
        fleet_commits: 1_500,
        history_commits: 8_000,
        tags: 100,
        crowd: 25,
        discoveries: 200,
    };
}

/// Measures all of it.
pub(crate) async fn measure(sizes: &Sizes, report: &mut Report) -> Result<()> {
    pushes::measure(report).await?;
    fleet::measure(sizes.fleet_commits, report).await?;
    unchanged::measure(report).await?;
    ssh::measure(report).await?;
    images::measure(sizes.tags, report).await?;
    crowd::measure(sizes.crowd, sizes.tags, report).await?;
    history::measure(sizes.history_commits, report).await?;
    leftovers::measure(sizes.discoveries, report).await
}
