//! `make test-strangers`: programs that are not ours run on the embedded engine as they run on a cluster.
//!
//! cert-manager gets a `kargo up` that is killed under it. A controller on kube-rs and the processes of the reference get
//! `kargo up --kube-only`, without our own components; the latter leave what they leave on kube-apiserver. The command
//! line of the reference gets the demo and our REST API.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person; what JSON lacks reads as null"
)]

mod cert_manager;
mod command_line;
mod librarian;
mod place;
mod program;
mod reference;
mod server;

use std::{process::ExitCode, time::Duration};

use anyhow::Result;
use clap::Parser;
use dev_testkit::{AfterFailure, Patience, Scenario, conclude, play};

/// How long something may take on a machine that has other things to do. Programs of strangers take their time.
const PATIENCE: Patience = Patience::of(Duration::from_secs(90));

/// Run programs that are not ours on the embedded engine
#[derive(Parser)]
struct Args {
    /// Only scenarios whose name contains this
    filter: Option<String>,
}

const SCENARIOS: &[(&str, Scenario<()>)] = &[
    ("cert-manager issues certificates, also after the server was killed", |()| {
        Box::pin(cert_manager::issues())
    }),
    ("a controller on kube-rs keeps what it owns while server and leader are killed", |()| {
        Box::pin(librarian::keeps_shelves())
    }),
    ("the processes of the reference promote, and leave what they leave on kube-apiserver", |()| {
        Box::pin(reference::promotes())
    }),
    ("the command line of the reference does everything with our REST API", |()| {
        Box::pin(command_line::works())
    }),
];

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let filter = Args::parse().filter.unwrap_or_default();
    let failed = play(SCENARIOS, &filter, &(), AfterFailure::GoOn).await;
    Ok(conclude("strangers", failed))
}
