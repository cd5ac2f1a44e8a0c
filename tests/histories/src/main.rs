//! Random histories of operations, played on the embedded API server and on a real kube-apiserver at once.
//!
//! Every step goes to both servers and the replies are compared, apart from what no two servers share. A difference fails
//! the run unless the specification allows it (see [`exception`]); it is shown as the shortest history that has it, with
//! the command that plays it again. Then several clients read and write the same objects, while the embedded server is
//! killed again and again, and what they saw is checked for linearizability.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person"
)]

mod campaign;
mod compare;
mod dice;
mod duel;
mod exception;
mod generator;
mod kinds;
mod linear;
mod memory;
mod normal;
mod operation;
mod player;
mod server;
mod settle;
mod shrink;
mod stream;
mod wire;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use crate::{
    campaign::{Campaign, Plan},
    generator::Taste,
    server::Pair,
};

/// Play random histories on the embedded API server and on kube-apiserver
#[derive(Parser)]
struct Args {
    /// How many histories to play
    #[arg(long, default_value_t = 200)]
    count: u64,
    /// The seed of the first
    #[arg(long, default_value_t = 0)]
    first_seed: u64,
    /// How many to play at once
    #[arg(long, default_value_t = 8)]
    workers: usize,
    /// One history in so many kills the embedded server; 0 for none
    #[arg(long, default_value_t = 50)]
    restart_one_in: u64,
    /// Stop after so many different mismatches
    #[arg(long, default_value_t = 10)]
    mismatches: usize,
    /// Leave server-side apply and the managers of fields out
    #[arg(long)]
    without_apply: bool,
    /// Play this history alone
    #[arg(long)]
    seed: Option<u64>,
    /// Play only these steps of it
    #[arg(long, value_delimiter = ',', requires = "seed")]
    keep: Vec<usize>,
    /// How often to kill the embedded server while clients read and write the same objects
    #[arg(long, default_value_t = 5)]
    kills: u32,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let passed = if let Some(seed) = args.seed {
        campaign(&args).await?.replay(seed, &args.keep).await?
    } else {
        let agreed = args.count == 0 || campaign(&args).await?.run().await?;
        agreed & (args.kills == 0 || linear::run(args.kills, args.first_seed).await?)
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn campaign(args: &Args) -> Result<Campaign> {
    let plan = Plan {
        first_seed: args.first_seed,
        count: args.count,
        workers: args.workers,
        taste: Taste { restart_one_in: args.restart_one_in, apply: !args.without_apply },
        mismatches: args.mismatches,
    };
    Ok(Campaign::new(Pair::start(args.workers).await?, plan))
}
