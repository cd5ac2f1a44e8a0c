//! `kargo discover`: what the Warehouses of a file would find, and why. No server needed.

mod progress;

use std::{io::IsTerminal, path::PathBuf, sync::Arc, time::Duration};

use core_clock::Clock;
use io_creds::Credentials;
use io_kube::Ports;
use io_runtime::{SystemClock, SystemEntropy, SystemEnvironment, TaskGroup, stop_signal};
use local_run::{Manifest, Report, Request, Searches};

use crate::{
    discovery::{Opened, Settings, cache_place},
    exit::{Exit, Failure},
    file::{Output, print_as, read_file},
};

/// How long programs and connections may take to end.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// Show what Warehouses in a file would find, and why, with no server
#[derive(clap::Args, Debug)]
pub(crate) struct DiscoverArgs {
    /// File with Warehouses, and with Secrets for their repositories; - reads standard input
    #[arg(short = 'f', long, value_name = "FILE")]
    file: PathBuf,
    /// How many candidates of each subscription are explained
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit_candidates: usize,
    /// How the result is printed
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = Output::Text)]
    output: Output,
    /// Where mirrors and answers of registries are kept for the next time [default: kargo below the XDG cache directory]
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

pub(crate) fn run(args: &DiscoverArgs) -> Result<(), Failure> {
    let manifest = Manifest::parse(&read_file(&args.file)?).map_err(|error| {
        Failure::usage(error).hint(format!("the file is {}", args.file.display()))
    })?;
    let directory = cache_place(args.cache_dir.as_deref())?;
    let settings =
        Settings::from_environment(&SystemEnvironment, &directory).map_err(Failure::usage)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(discover(args, &manifest, settings));
    runtime.shutdown_timeout(Duration::from_millis(500));
    let report = result?;
    print_as(&report, args.output)?;
    if report.has_failures() {
        return Err(Failure::new(Exit::Error, "not everything could be searched"));
    }
    Ok(())
}

async fn discover(
    args: &DiscoverArgs,
    manifest: &Manifest,
    mut settings: Settings,
) -> Result<Report, Failure> {
    let stop = stop_signal()?;
    let tasks = TaskGroup::new();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let ports = Ports {
        clock: clock.clone(),
        entropy: Arc::new(SystemEntropy),
        tasks: Arc::new(tasks.clone()),
    };
    let cache_by_tag = settings.cache_by_tag;
    settings.credentials.providers_enabled = true;
    let opened = settings.open(&SystemEnvironment, &ports, |settings, outbound| {
        Credentials::of_secrets(&manifest.secrets, settings, outbound, &ports)
    });
    let Opened { discovery, .. } = opened
        .await
        .map_err(|failure| failure.hint("choose another directory with --cache-dir"))?;
    let request = Request { explained: args.limit_candidates, cache_by_tag, now: clock.now() };
    let (searches, terminal) = (Searches::default(), std::io::stderr());
    let is_watched = terminal.is_terminal();
    let report = tokio::select! {
        report = local_run::discover(manifest, &*discovery, request, &searches) => Ok(report),
        signal = stop => Err(Failure::new(Exit::Error, format!("stopped by {signal}"))),
        never = progress::show(&searches, &*clock, terminal), if is_watched => match never {},
    };
    tasks.shutdown(STOP_GRACE).await;
    report
}
