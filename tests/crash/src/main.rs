//! Crash tests: `kargo up` is killed, or loses power, again and again under write load.
//!
//! Also while it fetches from Git repositories: mirrors stay whole, and no Freight is made twice.
//!
//! After every restart: each acknowledged write is there, nothing unacknowledged is half there, revisions never go back,
//! and a watch resumes from where it was or is told to start over.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person"
)]

mod fetch;
mod journal;
mod load;
mod power_cut;
mod report;
mod round;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Result;
use clap::Parser;
use core_clock::{Entropy, SeededEntropy};

use crate::{journal::Journal, power_cut::PowerCut};

/// Kill kargo up, or cut its power, under write load
#[derive(Parser)]
struct Args {
    /// How often to send SIGKILL
    #[arg(long, default_value_t = 10)]
    kills: u32,
    /// How often to cut the power: SIGKILL, then everything that was not fsynced is taken back
    #[arg(long, default_value_t = 10)]
    power_cuts: u32,
    /// How often to send SIGKILL while a repository is fetched
    #[arg(long, default_value_t = 10)]
    fetch_kills: u32,
    /// Decides the moments of the crashes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Document that gets the summary
    #[arg(long)]
    report: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let entropy = SeededEntropy::new(args.seed);
    let kills = tempfile::tempdir()?;
    let kept = crash(kills.path(), args.kills, None, &entropy).await?;
    let killed =
        format!("kill: {} crashes under load, {kept} acknowledged writes, none lost", args.kills);
    println!("{killed}");
    let cuts = tempfile::tempdir()?;
    let shim = PowerCut::build(cuts.path())?;
    let kept = crash(&cuts.path().join("data"), args.power_cuts, Some(&shim), &entropy).await?;
    let cut = format!(
        "power cut: {} crashes under load, {kept} acknowledged writes, none lost",
        args.power_cuts
    );
    println!("{cut}");
    let fetches = tempfile::tempdir()?;
    let freight = fetch::run(fetches.path(), args.fetch_kills, &entropy).await?;
    let fetched = format!(
        "kill during a fetch: {} kills, {freight} pieces of Freight, none twice, the mirror whole",
        args.fetch_kills
    );
    println!("{fetched}");
    if let Some(path) = &args.report {
        report::write(path, &[killed, cut, fetched])?;
    }
    println!("{} passed, 0 failed", args.kills + args.power_cuts + args.fetch_kills);
    Ok(())
}

/// Crashes `count` times on one data directory; returns how many writes were acknowledged in all.
async fn crash(
    data: &Path,
    count: u32,
    power: Option<&PowerCut>,
    entropy: &dyn Entropy,
) -> Result<usize> {
    let journal = Arc::new(Journal::default());
    for number in 0..count {
        let life = Duration::from_millis(50 + entropy.below(450));
        round::run(data, power, &journal, life).await.map_err(|error| {
            error.context(format!(
                "crash {} of {count}; the data directory is {}",
                number + 1,
                data.display()
            ))
        })?;
    }
    round::check(data, power, &journal).await?;
    Ok(journal.acknowledged())
}
