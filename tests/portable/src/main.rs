//! `make test-portable`: a control plane with a living pipeline is saved, restored and moved between both engines.
//!
//! The scenarios are one story: a pipeline grows on the embedded engine, moves to a real kube-apiserver, promotes there,
//! and moves back; its backup is restored by processes that are killed again and again.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person; what JSON lacks reads as null"
)]

mod census;
mod command;
mod journey;
mod kills;
mod outside;
mod pipeline;
mod refusal;
mod world;

use std::{process::ExitCode, time::Duration};

use anyhow::Result;
use clap::Parser;
use dev_testkit::{AfterFailure, Patience, Scenario, conclude, play};

use crate::world::World;

/// How long something may take that should come within seconds.
const PATIENCE: Patience = Patience::of(Duration::from_mins(2));

/// Save, restore and move a control plane between both engines
#[derive(Parser)]
struct Args {
    /// How often a restore and a migration are killed, on each engine
    #[arg(long, default_value_t = 3)]
    kills: u32,
}

const SCENARIOS: &[(&str, Scenario<World>)] = &[
    ("a pipeline grows on the embedded engine, and is saved while it works", |w| {
        Box::pin(pipeline::grows(w))
    }),
    ("what works is not restored into, and what is bad is not restored", |w| {
        Box::pin(refusal::refused(w))
    }),
    ("it moves to a cluster with everything in it", |w| Box::pin(journey::to_cluster(w))),
    ("it promotes on the cluster", |w| Box::pin(journey::promotes_on_cluster(w))),
    ("it moves back with everything in it", |w| Box::pin(journey::back(w))),
    ("it promotes on the embedded engine again", |w| Box::pin(journey::promotes_again(w))),
    ("a restore into a directory is killed again and again", |w| Box::pin(kills::directory(w))),
    ("a migration is killed again and again", |w| Box::pin(kills::migration(w))),
    ("a restore into a cluster is killed again and again", |w| Box::pin(kills::cluster(w))),
    ("a cluster with objects, or without permission, is left alone", |w| {
        Box::pin(refusal::of_cluster(w))
    }),
];

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let world = World::start(args.kills).await?;
    let failed = play(SCENARIOS, "", &world, AfterFailure::Stop).await;
    world.stop().await?;
    Ok(conclude("portable", failed))
}
