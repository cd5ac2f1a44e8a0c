//! `kargo garbage-collector`: one run, as a CronJob starts it.

use std::{io::Write, sync::Arc};

use io_runtime::{SystemClock, SystemEnvironment};
use svc_gc::{Collector, Metrics, Mode, Report, Settings};

use crate::{
    cluster,
    exit::{Exit, Failure},
};

/// Delete Promotions and Freight that nobody needs any more
#[derive(clap::Args, Debug)]
pub(crate) struct GarbageCollectorArgs {
    /// Only tell what would be deleted
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &GarbageCollectorArgs) -> Result<(), Failure> {
    let mut settings = Settings::from_environment(&SystemEnvironment).map_err(Failure::usage)?;
    if args.dry_run {
        settings.mode = Mode::DryRun;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(collect(settings))?;
    print(&report, args.dry_run)?;
    report.check().map_err(|incomplete| Failure::new(Exit::Error, incomplete))
}

async fn collect(settings: Settings) -> Result<Report, Failure> {
    let client = cluster::client(&SystemEnvironment).await?;
    let collector = Collector::new(
        client,
        Arc::new(SystemClock::new()),
        settings,
        Arc::new(Metrics::default()),
    );
    collector.collect().await.map_err(|error| Failure::new(Exit::Error, error))
}

fn print(report: &Report, dry_run: bool) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    let verb = if dry_run { "would delete" } else { "deleted" };
    for item in &report.items {
        writeln!(stdout, "{verb} {item}")?;
    }
    writeln!(stdout, "{verb} {} objects in {} Projects", report.items.len(), report.projects)
}
