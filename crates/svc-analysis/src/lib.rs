//! Carries out AnalysisRuns where no Argo Rollouts does.
//!
//! What a run comes to is decided in `core_rules::analysis`; here it is observed and carried out.
//! Each executor takes only the runs that are labeled for it (see [`Error::Rollouts`]), so that
//! two of them never work on one run.

mod controller;
mod instance;
mod job;
mod measure;
mod measurements;
mod monitor;
mod secret;
mod settings;
mod write;

use std::sync::Arc;

use io_exec::Exec;
use io_http::outbound::Outbound;
use io_kube::{Elector, ElectorSettings, Leadership, Ports};
use kube::Client;

use self::{controller::Context, instance::Served, monitor::State};

pub use instance::Error;
pub use monitor::Monitor;
pub use settings::Settings;

/// What the executor works with.
#[derive(Clone)]
pub struct Parts {
    /// The control plane, with the identity of the executor.
    pub client: Client,
    /// Time, randomness and tasks.
    pub ports: Ports,
    /// What it is told by its environment.
    pub settings: Settings,
    /// The way to servers that metrics name.
    pub outbound: Outbound,
    /// Starts programs that metrics name.
    pub exec: Exec,
    /// Who we are among those that could do this work; `None` when nobody else can.
    pub identity: Option<String>,
    /// Where it tells about itself.
    pub monitor: Monitor,
}

/// Carries runs out until the tasks of its ports stop, or until it must not go on.
pub async fn run(parts: Parts) -> Result<(), Error> {
    let id = parts.settings.instance_id.as_deref();
    let served = instance::probe(&parts.client, id).await.inspect_err(|error| {
        if matches!(error, Error::Kinds | Error::Rollouts) {
            parts.monitor.enter(State::Absent);
        }
    })?;
    let leadership = match &parts.identity {
        None => None,
        Some(identity) => match lead(&parts, identity).await {
            Some(leadership) => Some(leadership),
            None => return Ok(()),
        },
    };
    parts.monitor.enter(State::Syncing);
    let ended = tokio::select! {
        biased;
        () = work(&parts, served, leadership.as_ref()) => Ok(()),
        () = lost(leadership.as_ref()) => Err(Error::LostLeadership),
    };
    parts.monitor.enter(State::Starting);
    if let (Ok(()), Some(leadership)) = (&ended, leadership) {
        leadership.release().await;
    }
    ended
}

/// Waits until we lead; `None` when the tasks stop before.
async fn lead(parts: &Parts, identity: &str) -> Option<Leadership> {
    let settings = &parts.settings;
    let lease = ElectorSettings::new(&settings.namespace, settings.lease(), identity);
    let elector = Elector::new(parts.client.clone(), lease, &parts.ports);
    parts.monitor.enter(State::Candidate { knows_leader: Box::new(elector.knows_leader()) });
    elector.acquire().await
}

async fn lost(leadership: Option<&Leadership>) {
    match leadership {
        Some(leadership) => leadership.lost().await,
        None => std::future::pending().await,
    }
}

async fn work(parts: &Parts, served: Served, leadership: Option<&Leadership>) {
    // A leader that slept must not write before it knows whether it still leads.
    let client = match leadership {
        Some(leadership) => leadership.fence().guard(parts.client.clone()),
        None => parts.client.clone(),
    };
    let cx = Arc::new(Context::new(Parts { client, ..parts.clone() }, served));
    tokio::select! {
        biased;
        () = parts.ports.tasks.stopping() => return,
        () = cx.synced() => {}
    }
    let workers = controller::start(&cx);
    parts.monitor.enter(State::Working(workers.clone()));
    tracing::info!(instance = parts.settings.instance_id, "analysis controller working");
    workers.stopped().await;
}
