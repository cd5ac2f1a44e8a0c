//! `make test-rollouts`: a real Argo Rollouts controller carries out the verifications of Stages.
//!
//! One cluster, one `kargo up`, one Argo Rollouts with an instance id; the scenarios follow the Freight of one Stage
//! and run one after the other.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a test program on the real clock; what JSON lacks reads as null"
)]

mod application;
mod executor;
mod manifest;
mod neighbour;
mod parity;
mod scenario;
mod world;

use std::process::ExitCode;

use anyhow::Result;
use dev_testkit::{AfterFailure, Scenario, conclude, play};

use crate::world::World;

/// In the order in which they run: each begins with the Stage as the one before it left it.
const SCENARIOS: &[(&str, Scenario<World>)] = &[
    ("Freight is verified by Argo Rollouts, with arguments of the Stage", |w| {
        Box::pin(scenario::verified(w))
    }),
    ("a verification that is repeated and fails takes the mark away", |w| {
        Box::pin(scenario::revoked(w))
    }),
    ("a verification that is aborted ends its AnalysisRun", |w| Box::pin(scenario::aborted(w))),
    ("a verification whose template is missing says so", |w| Box::pin(scenario::impossible(w))),
    ("an AnalysisRun for another executor is left alone", |w| Box::pin(scenario::foreign(w))),
    ("our executor without an id does not work beside Argo Rollouts", |w| {
        Box::pin(scenario::refused(w))
    }),
    ("our executor with an id takes its own AnalysisRuns and no others", |w| {
        Box::pin(scenario::shared(w))
    }),
    ("our executor and Argo Rollouts make the same of the same AnalysisRuns", |w| {
        Box::pin(parity::same(w))
    }),
    ("both make the same Jobs, and the same of their ends", |w| Box::pin(parity::same_jobs(w))),
];

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let world = World::start().await?;
    let failed = play(SCENARIOS, "", &world, AfterFailure::Stop).await;
    world.stop().await?;
    Ok(conclude("rollouts", failed))
}
