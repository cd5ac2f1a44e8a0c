//! The conformance suite: one table of checks, run unchanged on the embedded API server and on a real kube-apiserver.
//!
//! `conformance embedded` and `conformance cluster` start a server of their own and stop it at the end;
//! `conformance --kubeconfig FILE --engine NAME` takes one that already runs. What a check expects was first proved on
//! kube-apiserver; where ours is allowed to differ, the check says so by the number of the difference.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person; what JSON lacks reads as null"
)]

mod answer;
mod cases;
mod difference;
mod engine;
mod expect;
mod fixture;
mod namespace;
mod own_kind;
mod patience;
mod protobuf;
mod report;
mod rows;
mod runner;
mod watch;
mod world;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};
use clap::Parser;
use dev_testkit::Kubeconfig;

use crate::{
    engine::{Engine, Server},
    rows::{ROWS, Row},
    world::Suite,
};

/// Hold an API server against the conformance table
#[derive(Parser)]
struct Args {
    /// The engine to start
    #[arg(value_enum, required_unless_present_any = ["kubeconfig", "list"], conflicts_with = "kubeconfig")]
    start: Option<Engine>,
    /// Use a server that already runs
    #[arg(long, requires = "engine")]
    kubeconfig: Option<PathBuf>,
    /// What that server is
    #[arg(long, value_enum, requires = "kubeconfig")]
    engine: Option<Engine>,
    /// Run these rows only
    #[arg(long = "row", value_delimiter = ',')]
    rows: Vec<u16>,
    /// Print the table and stop
    #[arg(long)]
    list: bool,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let rows = chosen(&args.rows);
    if args.list {
        report::list(&rows);
        return Ok(ExitCode::SUCCESS);
    }
    let passed = match (&args.kubeconfig, args.engine, args.start) {
        (Some(file), Some(engine), _) => run(engine, &Kubeconfig::read(file)?, &rows).await?,
        (_, _, Some(engine)) => {
            let server = Server::start(engine).await?;
            let passed = run(engine, server.kubeconfig(), &rows).await;
            server.stop().await?;
            passed?
        }
        _ => anyhow::bail!("name an engine"),
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chosen(numbers: &[u16]) -> Vec<&'static Row> {
    ROWS.iter().filter(|row| numbers.is_empty() || numbers.contains(&row.number)).collect()
}

/// Runs the rows on one server; true when none failed.
async fn run(engine: Engine, kubeconfig: &Kubeconfig, rows: &[&'static Row]) -> Result<bool> {
    let suite = Suite::new(engine, kubeconfig)?;
    fixture::install(&suite.world(0)).await.context("install the fixture")?;
    let outcomes = runner::run(&suite, rows).await;
    Ok(report::summary(engine, &outcomes))
}
