//! Crash tests: `kargo up` is killed, or loses power, again and again under write load.
//!
//! Also while it fetches from Git repositories: mirrors stay whole, and no Freight is made twice. And `kargo run` and
//! `kargo up` while they carry out Promotions, which go on afterwards and do nothing twice.
//!
//! And while it keeps a replica, of which alone it goes on afterwards; and while its Secrets come under another key.
//!
//! After every restart: each acknowledged write is there, nothing unacknowledged is half there, revisions never go back,
//! and a watch resumes from where it was or is told to start over.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person"
)]

mod controller;
mod fetch;
mod host;
mod journal;
mod load;
mod moment;
mod power_cut;
mod promotion;
mod replica;
mod report;
mod rotation;
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

/// Kill kargo, or cut its power, in the middle of its work
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
    /// How often to send SIGKILL while `kargo run` carries out a Promotion
    #[arg(long, default_value_t = 10)]
    step_kills: u32,
    /// How often to send SIGKILL while the controller of `kargo up` carries out a Promotion
    #[arg(long, default_value_t = 10)]
    promotion_kills: u32,
    /// How often to send SIGKILL while a replica is kept, which is then all that is left
    #[arg(long, default_value_t = 5)]
    replica_kills: u32,
    /// How often to send SIGKILL while Secrets come under another key
    #[arg(long, default_value_t = 10)]
    rotation_kills: u32,
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
    let mut told = Vec::new();
    if args.kills > 0 {
        told.push(kills(args.kills, &entropy).await?);
    }
    if args.power_cuts > 0 {
        told.push(power_cuts(args.power_cuts, &entropy).await?);
    }
    if args.fetch_kills > 0 {
        told.push(fetch_kills(args.fetch_kills, &entropy).await?);
    }
    if args.step_kills > 0 {
        told.push(step_kills(args.step_kills, &entropy).await?);
    }
    if args.promotion_kills > 0 {
        told.push(promotion_kills(args.promotion_kills, &entropy).await?);
    }
    if args.replica_kills > 0 {
        told.push(replica_kills(args.replica_kills, &entropy).await?);
    }
    if args.rotation_kills > 0 {
        told.push(rotation_kills(args.rotation_kills, &entropy).await?);
    }
    if let Some(path) = &args.report {
        report::write(path, &told)?;
    }
    let of_promotions = args.step_kills + args.promotion_kills;
    let of_the_store = args.kills + args.power_cuts + args.replica_kills + args.rotation_kills;
    let crashes = of_the_store + args.fetch_kills + of_promotions;
    println!("{crashes} passed, 0 failed");
    Ok(())
}

async fn kills(count: u32, entropy: &dyn Entropy) -> Result<String> {
    let data = tempfile::tempdir()?;
    let kept = crash(data.path(), count, None, entropy).await?;
    Ok(tell(format!("kill: {count} crashes under load, {kept} acknowledged writes, none lost")))
}

async fn power_cuts(count: u32, entropy: &dyn Entropy) -> Result<String> {
    let directory = tempfile::tempdir()?;
    let shim = PowerCut::build(directory.path())?;
    let kept = crash(&directory.path().join("data"), count, Some(&shim), entropy).await?;
    Ok(tell(format!(
        "power cut: {count} crashes under load, {kept} acknowledged writes, none lost"
    )))
}

async fn fetch_kills(count: u32, entropy: &dyn Entropy) -> Result<String> {
    let data = tempfile::tempdir()?;
    let freight = fetch::run(data.path(), count, entropy).await?;
    Ok(tell(format!(
        "kill during a fetch: {count} kills, {freight} pieces of Freight, none twice, the mirror whole"
    )))
}

async fn step_kills(count: u32, entropy: &dyn Entropy) -> Result<String> {
    let promotions = promotion::run(count, entropy).await?;
    Ok(tell(format!(
        "kill during a Promotion: {count} kills in {promotions} Promotions, each with one commit and one pull request, merged once"
    )))
}

async fn promotion_kills(count: u32, entropy: &dyn Entropy) -> Result<String> {
    let data = tempfile::tempdir()?;
    let survived = controller::run(data.path(), count, entropy).await?;
    Ok(tell(format!("kill of the controller during a Promotion: {count} kills in {survived}")))
}

async fn replica_kills(count: u32, entropy: &dyn Entropy) -> Result<String> {
    let directory = tempfile::tempdir()?;
    let survived = replica::run(directory.path(), count, entropy).await?;
    Ok(tell(format!(
        "kill and loss of the data directory: {count} times under load, restored from the replica; {survived}"
    )))
}

async fn rotation_kills(count: u32, entropy: &dyn Entropy) -> Result<String> {
    let directory = tempfile::tempdir()?;
    let survived = rotation::run(directory.path(), count, entropy).await?;
    Ok(tell(format!("kill while Secrets come under another key: {count} times; {survived}")))
}

fn tell(line: String) -> String {
    println!("{line}");
    line
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
