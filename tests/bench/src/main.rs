//! `make bench`: figures against the limits, and against kube-apiserver with etcd in the same run.
//!
//! Writes `docs/benchmarks.md`. Figures that are ratios hold on other machines; the absolute ones belong to the machine described.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a measuring program on the real clock that reports to a person"
)]

mod engine;
mod grants;
mod lists;
mod machine;
mod objects;
mod process;
mod report;
mod startup;
mod watches;
mod writes;

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;

use crate::{engine::Engine, report::Report};

/// Measure kargo up, and kube-apiserver with etcd beside it
#[derive(Parser)]
struct Args {
    /// Leave kube-apiserver and etcd out
    #[arg(long)]
    embedded_only: bool,
    /// Where the report goes
    #[arg(long, default_value = "docs/benchmarks.md")]
    report: PathBuf,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let mut report = Report::new(machine::describe()?);
    startup::measure(&mut report).await?;
    let embedded = Engine::embedded().await?;
    grants::measure(&embedded, &mut report).await?;
    let ours = measure(&embedded).await?;
    watches::measure(&embedded, &mut report).await?;
    embedded.stop().await?;
    let theirs = if args.embedded_only {
        None
    } else {
        let cluster = Engine::cluster().await?;
        let figures = measure(&cluster).await?;
        cluster.stop().await?;
        Some(figures)
    };
    report.compare(&ours, theirs.as_ref());
    report.write(&args.report)?;
    report.verdict()
}

/// What both engines are measured in.
pub(crate) struct Figures {
    pub(crate) creates: writes::Creates,
    pub(crate) list: lists::List,
}

async fn measure(engine: &Engine) -> Result<Figures> {
    Ok(Figures { creates: writes::measure(engine).await?, list: lists::measure(engine).await? })
}
