//! The manners of a component that runs as a process of its own: settings from the environment, a line when it starts,
//! health and metrics over HTTP, and an orderly end.
//!
//! A component hands its work to [`run`] and gets a [`Process`] for it. The process ends well on a signal, when the work
//! is done, and badly when the work cannot go on, so that whoever supervises it starts it again.

mod metrics;
mod process;
mod reach;
mod settings;
mod vitals;

pub(crate) use self::{
    process::Process,
    settings::{Doors, Settings},
    vitals::{Probe, Vitals, stuck_workers},
};

use std::{pin::pin, time::Duration};

use core_rules::access::Component;
use io_runtime::{SystemEnvironment, TaskGroup, stop_signal};

use crate::{exit::Failure, version};

/// From the signal to the end of the process; what has not stopped by then is cut off. Less than the 30 s that
/// Kubernetes waits before it kills.
const STOP_GRACE: Duration = Duration::from_secs(20);
/// How long answers about health that are under way may take after that.
const VITALS_GRACE: Duration = Duration::from_secs(1);

/// Runs a component until it is done, told to stop, or cannot go on.
pub(crate) fn run<W>(component: Component, work: impl FnOnce(Process) -> W) -> Result<(), Failure>
where
    W: Future<Output = Result<(), Failure>>,
{
    let settings =
        Settings::from_environment(component, &SystemEnvironment).map_err(Failure::usage)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.threads.get())
        .enable_all()
        .build()?;
    let result = runtime.block_on(supervise(component, settings, work));
    // Tasks that ignored the stop must not keep the process.
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}

async fn supervise<W>(
    component: Component,
    settings: Settings,
    work: impl FnOnce(Process) -> W,
) -> Result<(), Failure>
where
    W: Future<Output = Result<(), Failure>>,
{
    let stop = stop_signal()?;
    announce(component, &settings);
    let process = Process::start(component, settings).await?;
    let (tasks, vitals, vital_tasks) = process.life();
    let mut work = pin!(work(process));
    let ended = tokio::select! {
        ended = &mut work => {
            tasks.shutdown(STOP_GRACE).await;
            ended
        }
        signal = stop => {
            tracing::info!(signal, "stopping");
            vitals.stop();
            drain(&tasks, work).await
        }
    };
    // Last, so that probes are answered while the rest stops.
    vital_tasks.shutdown(VITALS_GRACE).await;
    ended
}

/// Stops the tasks, and lets the work come to its end with them.
async fn drain(
    tasks: &TaskGroup,
    work: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    let both = async { tokio::join!(tasks.shutdown(STOP_GRACE), work) };
    let (drained, ended) = match tokio::time::timeout(STOP_GRACE, both).await {
        Ok((drained, ended)) => (drained, ended),
        Err(_) => (false, Ok(())),
    };
    tracing::info!(drained, "stopped");
    ended
}

/// The line that operators look for.
fn announce(component: Component, settings: &Settings) {
    let title = title(component);
    let shard = settings.shard.as_ref().map(|shard| format!(" shard={shard}")).unwrap_or_default();
    tracing::info!(
        version = version::number(),
        commit = version::COMMIT,
        GOMAXPROCS = settings.threads.get(),
        GOMEMLIMIT = settings.memory_limit,
        defaultController = settings.is_default_controller,
        "Starting Kargo {title}{shard}"
    );
    if settings.profiles_asked {
        tracing::warn!("PPROF_BIND_ADDRESS is set, but there are no profiles to serve");
    }
}

fn title(component: Component) -> &'static str {
    match component {
        Component::AnalysisController => "Analysis Controller",
        Component::Api => "API Server",
        Component::Controller => "Controller",
        Component::ExternalWebhooksServer => "External Webhooks Server",
        Component::GarbageCollector => "Garbage Collector",
        Component::KubernetesWebhooksServer => "Kubernetes Webhooks Server",
        Component::ManagementController => "Management Controller",
    }
}
