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

mod discovery;
mod engine;
mod expressions;
mod git_promotion;
mod grants;
mod lists;
mod machine;
mod objects;
mod pipeline;
mod process;
mod report;
mod rest;
mod startup;
mod storage;
mod trivial_steps;
mod watches;
mod writes;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand, ValueEnum};

use crate::{
    discovery::Sizes,
    engine::Engine,
    pipeline::Size,
    report::{Earlier, Report},
};

/// Measure kargo up, and kube-apiserver with etcd beside it; measure discovery and promotions
#[derive(Parser)]
struct Args {
    /// Leave kube-apiserver and etcd out
    #[arg(long)]
    embedded_only: bool,
    /// Measure only this; the other rows of the report stay as they are
    #[arg(long)]
    only: Option<Area>,
    /// A quick look at discovery with small numbers; nothing is written
    #[arg(long)]
    small: bool,
    /// Also the fan-outs on kube-apiserver that take many minutes
    #[arg(long)]
    large: bool,
    /// Where the report goes
    #[arg(long, default_value = "docs/benchmarks.md")]
    report: PathBuf,
    #[command(subcommand)]
    part: Option<Part>,
}

impl Args {
    fn size(&self) -> Size {
        match (self.small, self.large) {
            (true, _) => Size::Small,
            (false, true) => Size::Large,
            (false, false) => Size::Usual,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Area {
    ControlPlane,
    Discovery,
    Promotions,
    Pipeline,
    Storage,
    Api,
}

#[derive(Subcommand)]
enum Part {
    /// Walk a history to its end and print what memory that took
    #[command(hide = true)]
    Walk { origin: PathBuf, root: PathBuf },
    /// Carry out many promotions at once and print what memory that took
    #[command(hide = true)]
    Promote { url: String },
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    match &args.part {
        Some(Part::Walk { origin, root }) => return discovery::walk(origin, root).await,
        Some(Part::Promote { url }) => return git_promotion::promote_crowd(url).await,
        None => {}
    }
    let mut report = Report::new(machine::describe()?);
    if args.only.is_none_or(|only| only == Area::ControlPlane) {
        control_plane(args.embedded_only, &mut report).await?;
    }
    if args.only.is_none_or(|only| only == Area::Discovery) {
        expressions::measure(&mut report)?;
        let sizes = if args.small { Sizes::SMALL } else { Sizes::FULL };
        discovery::measure(&sizes, &mut report).await?;
    }
    if args.only.is_none_or(|only| only == Area::Promotions) {
        let commits = if args.small { 1_500 } else { 15_000 };
        trivial_steps::measure(&mut report).await?;
        git_promotion::measure(commits, &mut report).await?;
    }
    if args.only.is_none_or(|only| only == Area::Pipeline) {
        pipeline::measure(args.size(), args.embedded_only, &mut report).await?;
    }
    if args.only.is_none_or(|only| only == Area::Storage) {
        storage::measure(args.embedded_only, args.small, &mut report).await?;
    }
    if args.only.is_none_or(|only| only == Area::Api) {
        rest::measure(args.small, &mut report).await?;
    }
    if !args.small {
        let earlier = if args.only.is_some() { Earlier::Kept } else { Earlier::Forgotten };
        report.write(&args.report, earlier)?;
    }
    report.verdict()
}

async fn control_plane(embedded_only: bool, report: &mut Report) -> Result<()> {
    startup::measure(report).await?;
    let embedded = Engine::embedded().await?;
    grants::measure(&embedded, report).await?;
    let ours = measure(&embedded).await?;
    watches::measure(&embedded, report).await?;
    embedded.stop().await?;
    let theirs = if embedded_only {
        None
    } else {
        let cluster = Engine::cluster().await?;
        let figures = measure(&cluster).await?;
        cluster.stop().await?;
        Some(figures)
    };
    report.compare(&ours, theirs.as_ref());
    Ok(())
}

/// What both engines are measured in.
pub(crate) struct Figures {
    pub(crate) creates: writes::Creates,
    pub(crate) list: lists::List,
}

async fn measure(engine: &Engine) -> Result<Figures> {
    Ok(Figures { creates: writes::measure(engine).await?, list: lists::measure(engine).await? })
}
