//! `make test-argocd`: promotions with a real Argo CD on a real kube-apiserver.
//!
//! The scenarios share one cluster, one Argo CD and one `kargo up --kubeconfig`; each has a Stage and an
//! Application of its own. There are no nodes: Applications consist of ConfigMaps, which are healthy at once.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person; what JSON lacks reads as null"
)]

mod abroad;
mod argo_cd;
mod drift;
mod pipeline;
mod promotion;
mod selection;
mod world;

use std::{process::ExitCode, time::Instant};

use anyhow::Result;
use clap::Parser;
use dev_testkit::{AfterFailure, Scenario, conclude, play};

use crate::world::World;

/// Run promotions with a real Argo CD
#[derive(Parser)]
struct Args {
    /// Only scenarios whose name contains this
    filter: Option<String>,
}

const SCENARIOS: &[(&str, Scenario<World>)] = &[
    ("a promotion pushes, syncs the Application and waits; the Stage turns healthy", |w| {
        Box::pin(promotion::succeeds(w))
    }),
    ("a sync that fails turns the promotion red with the reason", |w| {
        Box::pin(promotion::fails(w))
    }),
    ("an Application without the annotation is refused and left alone", |w| {
        Box::pin(promotion::is_refused(w))
    }),
    ("Applications are chosen by label, and the one that others own is left out", |w| {
        Box::pin(selection::by_label(w))
    }),
    ("an Application that leaves its revision turns the Stage unhealthy", |w| {
        Box::pin(drift::is_seen(w))
    }),
    ("a control plane on the embedded engine promotes to the Argo CD of another cluster", |w| {
        Box::pin(abroad::promotes(w))
    }),
];

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let begin = Instant::now();
    let world = World::start().await?;
    println!("       cluster, Argo CD and kargo up ({:.1} s)", begin.elapsed().as_secs_f32());
    let filter = args.filter.unwrap_or_default();
    let failed = play(SCENARIOS, &filter, &world, AfterFailure::GoOn).await;
    if failed > 0 {
        println!("{}", world.complaints());
    }
    world.stop().await?;
    Ok(conclude("argocd", failed))
}
