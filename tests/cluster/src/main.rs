//! `make cluster-e2e`: `kargo up --kubeconfig` on a real kube-apiserver, as a user meets it.
//!
//! The scenarios share one cluster and run one after the other; each leaves it without webhooks and without a running
//! `kargo up`.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person; what JSON lacks reads as null"
)]

mod crash;
mod discovery;
mod life;
mod refusal;
mod tokens;
mod upgrade;
mod world;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::Parser;
use dev_testkit::{AfterFailure, Scenario, conclude, play};

use crate::world::World;

/// Run `kargo up --kubeconfig` through its life on a real cluster
#[derive(Parser)]
struct Args {
    /// Use an empty cluster that already runs
    #[arg(long)]
    kubeconfig: Option<PathBuf>,
    /// Only scenarios whose name contains this
    filter: Option<String>,
}

/// In the order in which they run: the first ones need a cluster without an installation.
const SCENARIOS: &[(&str, Scenario<World>)] = &[
    ("a user without permissions is told which are missing", |w| Box::pin(refusal::forbidden(w))),
    ("webhooks that are not reached end the start and leave nothing", |w| {
        Box::pin(refusal::unreachable(w))
    }),
    ("a cluster that does not answer is named", |w| Box::pin(refusal::no_cluster(w))),
    ("webhooks of another installation are left alone", |w| Box::pin(refusal::foreign(w))),
    ("a kubeconfig without verification is refused", |w| Box::pin(refusal::insecure(w))),
    ("a Project gets its namespace and roles, a bad Stage is refused", |w| {
        Box::pin(life::projects(w))
    }),
    ("commits, images and charts become Freight, also over SSH and with credentials", |w| {
        Box::pin(discovery::freight(w))
    }),
    ("a second kargo up is refused while the first works", |w| Box::pin(life::second(w))),
    ("tokens are renewed when due and when refused", |w| Box::pin(tokens::renewed(w))),
    ("a component without its permissions does not work", |w| Box::pin(tokens::own_identity(w))),
    ("a second start changes nothing and keeps what a user added", |w| {
        Box::pin(upgrade::additions(w))
    }),
    ("whoever loses the cluster to another leaves its webhooks alone", |w| {
        Box::pin(life::taken_over(w))
    }),
    ("after a kill the next start heals", |w| Box::pin(crash::healed(w))),
    ("after a kill the webhooks can be taken out", |w| Box::pin(crash::uninstalled(w))),
];

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let world = World::start(args.kubeconfig).await?;
    let filter = args.filter.unwrap_or_default();
    let failed = play(SCENARIOS, &filter, &world, AfterFailure::GoOn).await;
    world.stop().await?;
    Ok(conclude("cluster", failed))
}
