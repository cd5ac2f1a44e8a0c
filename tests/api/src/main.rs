//! `make test-api`: the REST API of `kargo up` with a real Dex behind it, as a browser and the command line meet them.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a test program on the real clock; what JSON lacks reads as null"
)]

mod browser;
mod dex;
mod login;
mod world;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use dev_testkit::{AfterFailure, Scenario, conclude, play};

use crate::world::World;

/// Log people in at a real Dex, and see what they may do
#[derive(Parser)]
struct Args {
    /// Only scenarios whose name contains this
    filter: Option<String>,
}

const SCENARIOS: &[(&str, Scenario<World>)] = &[
    ("the server tells where to log in", |w| Box::pin(login::configuration(w))),
    ("Dex is reached through the server and nothing else is", |w| Box::pin(login::proxy(w))),
    ("a person logs in with PKCE and has the role of their group", |w| Box::pin(login::group(w))),
    ("a code without its verifier is worth nothing", |w| Box::pin(login::verifier(w))),
    ("the client of the command line is taken too, and no other", |w| Box::pin(login::clients(w))),
    ("a token that was changed is refused", |w| Box::pin(login::forged(w))),
    ("a role that is taken back is gone", |w| Box::pin(login::revoked(w))),
    ("a restart of Dex with new keys is noticed", |w| Box::pin(login::rotated(w))),
];

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let world = World::start().await?;
    let filter = args.filter.unwrap_or_default();
    let failed = play(SCENARIOS, &filter, &world, AfterFailure::GoOn).await;
    world.stop().await?;
    Ok(conclude("api", failed))
}
