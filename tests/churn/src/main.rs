//! A day of writes on the store, in simulated time and as fast as the disk takes them.
//!
//! Objects are made, changed and deleted at a steady rate while history is compacted, as `kargo up` does it. After every
//! compaction the files, the recent events in memory and the memory of the process are held to their bounds: what is kept is
//! what retention asks for, however much was written.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a test program on the real clock that reports to a person"
)]

mod bounds;
mod load;
mod process;
mod report;

use std::{path::PathBuf, sync::Arc, time::Instant};

use anyhow::Result;
use clap::Parser;
use core_clock::{Clock, ManualClock, SeededEntropy, Time};
use emb_store::{Options, SqliteLog, Store};

use crate::{bounds::Bounds, load::Load};

/// Write to a store for a simulated day, and see that it stays as large as it must be
#[derive(Parser)]
struct Args {
    /// How long to write, in simulated seconds; retention is a twenty-fourth of it
    #[arg(long, default_value_t = 86_400)]
    seconds: u64,
    /// Writes in each of them
    #[arg(long, default_value_t = 200)]
    writes_per_second: usize,
    /// Decides what is written
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Document that gets the summary
    #[arg(long)]
    report: Option<PathBuf>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let begin = Instant::now();
    let directory = tempfile::tempdir()?;
    let clock = ManualClock::new(Time::from_seconds(1_800_000_000));
    let scale = Scale::of(args.seconds);
    let log = Box::new(SqliteLog::open(directory.path(), "")?);
    let entropy = Arc::new(SeededEntropy::new(args.seed));
    let (store, _) = Store::open(log, Arc::new(clock.clone()), entropy, scale.options())?;
    let mut load = Load::new(store.clone(), args.seed, args.writes_per_second);
    let mut bounds = Bounds::new(scale.retained_seconds(), args.writes_per_second);
    for second in 1..=args.seconds {
        load.one_second()?;
        clock.advance(std::time::Duration::from_secs(1));
        if second % scale.compaction == 0 {
            store.compact(clock.now());
            bounds.check(&store, &load, second)?;
        }
    }
    store.close();
    drop(store);
    let told = bounds.told(&load, args.seconds, begin.elapsed());
    load.check_after_restart(directory.path(), &clock, &scale.options())?;
    println!("{told}");
    if let Some(path) = &args.report {
        report::write(path, &told)?;
    }
    println!("1 passed, 0 failed");
    Ok(())
}

/// The times that decide what is kept. A short run has a short day.
struct Scale {
    hour: u64,
    compaction: u64,
}

impl Scale {
    fn of(seconds: u64) -> Self {
        Self { hour: (seconds / 24).max(1), compaction: (seconds / 288).max(1) }
    }

    fn options(&self) -> Options {
        let hour = std::time::Duration::from_secs(self.hour);
        Options {
            retention: hour,
            min_retention: hour / 12,
            ring_age: hour / 6,
            ..Options::default()
        }
    }

    /// For how long a superseded state may be there at most: until it is old enough, and the next compaction has come to it.
    fn retained_seconds(&self) -> u64 {
        self.hour + 2 * self.compaction
    }
}
