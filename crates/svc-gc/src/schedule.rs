//! Runs that repeat, for processes that live longer than one.

use std::{sync::Arc, time::Duration};

use io_kube::Ports;
use kube::Client;

use crate::{collector::Collector, metrics::Metrics, settings::Settings};

/// A run starts up to this part of the interval late, so that several installations do not all
/// begin at the full hour.
const JITTER_PART: u32 = 10;

/// Collects again and again until the tasks are asked to stop; a run under way ends at once then,
/// which loses nothing: the next one finds what this one left.
pub async fn run_scheduled(
    client: Client,
    ports: Ports,
    settings: Settings,
    metrics: Arc<Metrics>,
) {
    let interval = settings.interval;
    let collector = Collector::new(client, ports.clock.clone(), settings, metrics);
    let runs = async {
        ports.clock.sleep(jitter(&ports, interval)).await;
        loop {
            collect(&collector).await;
            ports.clock.sleep(interval.saturating_add(jitter(&ports, interval))).await;
        }
    };
    tokio::select! {
        biased;
        () = ports.tasks.stopping() => {}
        () = runs => {}
    }
}

async fn collect(collector: &Collector) {
    match collector.collect().await {
        Ok(report) => {
            let (projects, items) = (report.projects, report.items.len());
            tracing::info!(projects, deleted = items, "collected garbage");
            if let Err(incomplete) = report.check() {
                tracing::warn!(error = %incomplete, "garbage collection is incomplete");
            }
        }
        Err(error) => tracing::warn!(%error, "cannot list Projects, nothing was collected"),
    }
}

fn jitter(ports: &Ports, interval: Duration) -> Duration {
    let most = interval.checked_div(JITTER_PART).unwrap_or_default();
    let millis = u64::try_from(most.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(ports.entropy.below(millis))
}
