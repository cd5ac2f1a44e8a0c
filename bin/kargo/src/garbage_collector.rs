//! `kargo garbage-collector`: one run, as a CronJob starts it.

use std::{io::Write, sync::Arc};

use core_rules::access::Component;
use io_kube::Family;
use io_runtime::SystemEnvironment;
use svc_gc::{Collector, Metrics, Mode, Report, Settings};

use crate::{
    component::{self, Probe, Process},
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
    component::run(Component::GarbageCollector, |process| collect(process, settings))
}

async fn collect(process: Process, settings: Settings) -> Result<(), Failure> {
    let (client, ports, mode) = (process.client().await?, process.ports(), settings.mode);
    let metrics = Arc::new(Metrics::default());
    process.ready_with(Counts(metrics.clone()));
    let collector = Collector::new(client, ports.clock.clone(), settings, metrics);
    let report = tokio::select! {
        report = collector.collect() => report.map_err(|error| Failure::new(Exit::Error, error))?,
        // Nothing is lost: the next run finds what this one left.
        () = ports.tasks.stopping() => {
            return Err(Failure::new(Exit::Error, "stopped before everything was looked at"));
        }
    };
    print(&report, mode)?;
    report.check().map_err(|incomplete| Failure::new(Exit::Error, incomplete))
}

fn print(report: &Report, mode: Mode) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    let verb = if mode == Mode::DryRun { "would delete" } else { "deleted" };
    for item in &report.items {
        writeln!(stdout, "{verb} {item}")?;
    }
    writeln!(stdout, "{verb} {} objects in {} Projects", report.items.len(), report.projects)
}

/// The counters of the collector.
pub(crate) struct Counts(pub(crate) Arc<Metrics>);

impl Probe for Counts {
    fn name(&self) -> &'static str {
        Component::GarbageCollector.label()
    }

    fn unready(&self) -> Option<String> {
        None
    }

    fn metrics(&self) -> Vec<Family> {
        self.0.families()
    }
}
