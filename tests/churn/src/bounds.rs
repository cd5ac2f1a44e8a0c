//! What may be there at most, whatever was written before.

use std::time::Duration;

use anyhow::{Result, ensure};
use emb_store::{Options, Store};

use crate::{load::Load, process};

const MEGABYTE: u64 = 1024 * 1024;
/// A row has columns beside its body, and pages are not full.
const ROW_OVERHEAD: u64 = 400;
/// What is durable and not in its place yet; SQLite cuts it to this after a large one.
const WRITE_AHEAD: u64 = 96 * MEGABYTE;
/// What memory may grow by once everything that is kept is there for the first time.
const MEMORY_GROWTH: u64 = 64 * MEGABYTE;
/// Checks until then: retention and the recent events are full.
const WARM_UP: usize = 48;

pub(crate) struct Bounds {
    /// Superseded states that retention keeps at most.
    history: u64,
    checks: usize,
    warm: Option<u64>,
    largest_files: u64,
    largest_rings: u64,
    largest_memory: u64,
}

impl Bounds {
    pub(crate) fn new(retained_seconds: u64, writes_per_second: usize) -> Self {
        Self {
            history: retained_seconds * writes_per_second as u64,
            checks: 0,
            warm: None,
            largest_files: 0,
            largest_rings: 0,
            largest_memory: 0,
        }
    }

    /// Holds the store to its bounds.
    pub(crate) fn check(&mut self, store: &Store, load: &Load, second: u64) -> Result<()> {
        self.checks += 1;
        let figures = store.figures();
        let live = load.live_bytes();
        let objects: usize = figures.resources.iter().map(|resource| resource.objects).sum();
        let each = live / (objects.max(1) as u64) + ROW_OVERHEAD;
        // Twice what is live, and what retention asks for.
        let allowed = 2 * (live + ROW_OVERHEAD * objects as u64) + self.history * each;
        let allowed = allowed + 16 * MEGABYTE;
        let size = figures.log;
        ensure!(size.database <= allowed, "second {second}: {size:?}, {allowed} allowed");
        ensure!(size.write_ahead <= WRITE_AHEAD, "second {second}: {size:?}");
        let rings = figures.ring_bytes as u64;
        ensure!(rings <= Options::default().ring_bytes as u64, "second {second}: {rings} in rings");
        self.largest_files = self.largest_files.max(size.database + size.write_ahead);
        self.largest_rings = self.largest_rings.max(rings);
        self.check_memory(second)
    }

    fn check_memory(&mut self, second: u64) -> Result<()> {
        let memory = process::resident()?;
        self.largest_memory = self.largest_memory.max(memory);
        match self.warm {
            None if self.checks >= WARM_UP => self.warm = Some(memory),
            Some(warm) => {
                let grown = memory.saturating_sub(warm);
                ensure!(grown <= MEMORY_GROWTH, "second {second}: memory grew by {grown} bytes");
            }
            None => {}
        }
        Ok(())
    }

    /// What the day was like.
    pub(crate) fn told(&self, load: &Load, seconds: u64, took: Duration) -> String {
        let megabytes = |bytes: u64| bytes / MEGABYTE;
        format!(
            "churn: {} writes in {seconds} simulated seconds ({} real ones), every event seen; the slowest second of writes took {} ms; at most {} MB of files, {} MB of recent events, {} MB of memory",
            load.writes,
            took.as_secs(),
            load.slowest.as_millis(),
            megabytes(self.largest_files),
            megabytes(self.largest_rings),
            megabytes(self.largest_memory),
        )
    }
}
