//! Who may write what: every rule of admission in tables, run unchanged on the embedded engine and on a real
//! kube-apiserver that asks through registered webhooks.
//!
//! `admission embedded` and `admission cluster` start a control plane of their own and stop it at the end;
//! `admission --kubeconfig FILE --engine NAME` takes one that already runs, for which FILE must be an administrator's.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test program on the real clock that reports to a person; what JSON lacks reads as null"
)]

mod actor;
mod expect;
mod manifest;
mod names;
mod object;
mod patience;
mod play;
mod report;
mod scene;
mod server;
mod suite;
mod table;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, Result};
use clap::Parser;
use dev_testkit::{Kubeconfig, repository};

use crate::{
    report::Outcome,
    server::Server,
    suite::Suite,
    table::{Engine, Settings, Table},
};

/// Hold the rules of admission against tables
#[derive(Parser)]
struct Args {
    /// The engine to start
    #[arg(value_enum, required_unless_present_any = ["kubeconfig", "list"], conflicts_with = "kubeconfig")]
    start: Option<Engine>,
    /// Use a control plane that already runs
    #[arg(long, requires = "engine")]
    kubeconfig: Option<PathBuf>,
    /// What that control plane is
    #[arg(long, value_enum, requires = "kubeconfig")]
    engine: Option<Engine>,
    /// Run only the rows whose title has this part, and what stands before them in their scenes
    #[arg(long)]
    only: Option<String>,
    /// Print the titles of all rows and stop
    #[arg(long)]
    list: bool,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let tables = table::read_all(&repository().join("tests/admission/tables"))?;
    if args.list {
        list(&tables);
        return Ok(ExitCode::SUCCESS);
    }
    let only = args.only.as_deref();
    let (engine, outcomes) = match (&args.kubeconfig, args.engine, args.start) {
        (Some(file), Some(engine), _) => {
            (engine, run(engine, &Kubeconfig::read(file)?, &tables, only).await?)
        }
        (_, _, Some(engine)) => (engine, start_and_run(engine, &tables, only).await?),
        _ => anyhow::bail!("name an engine"),
    };
    let passed = report::summary(engine, &outcomes);
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn list(tables: &[Table]) {
    for table in tables {
        for row in table.scenes.iter().flat_map(|scene| &scene.rows) {
            println!("{} {}", table.name, row["row"].as_str().unwrap_or_default());
        }
    }
}

/// Starts a control plane, runs everything that takes it as it is, then the scenes that ask for settings, and stops it.
async fn start_and_run(
    engine: Engine,
    tables: &[Table],
    only: Option<&str>,
) -> Result<Vec<Outcome>> {
    let mut server = Server::start(engine).await?;
    let mut outcomes = run(engine, server.kubeconfig(), tables, only).await?;
    for settings in table::settings(tables).iter().filter(|settings| !settings.is_empty()) {
        server = server.restart(settings).await?;
        let suite = Suite::new(engine, server.kubeconfig()).await?;
        suite.install().await.context("install the actors")?;
        outcomes.extend(scene::run(&suite, tables, settings, only).await);
    }
    server.stop().await?;
    Ok(outcomes)
}

/// Runs everything that needs no settings of its own on a control plane.
async fn run(
    engine: Engine,
    kubeconfig: &Kubeconfig,
    tables: &[Table],
    only: Option<&str>,
) -> Result<Vec<Outcome>> {
    let suite = Suite::new(engine, kubeconfig).await?;
    suite.install().await.context("install the actors")?;
    let mut outcomes = scene::run(&suite, tables, &Settings::new(), only).await;
    let manifests = repository().join("conformance/admission");
    outcomes.extend(manifest::run(&suite, &manifests, only).await?);
    Ok(outcomes)
}
