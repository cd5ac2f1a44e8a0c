//! The controller of a shard: it looks for artifacts, makes Freight of them, and promotes Freight from Stage to Stage.
//!
//! What to do is decided in `core_rules`; here it is observed and carried out.

mod caches;
mod freight;
mod monitor;
mod promotion;
mod promotion_request;
mod settings;
mod shared;
mod stage;
mod telling;
mod warehouse;

use std::{path::PathBuf, sync::Arc};

use io_argo::Applications;
use io_kube::Ports;
use kube::Client;
use work_discovery::Searcher;
use work_steps::{ControlPlane, driver::Runner};

use self::{
    caches::Caches,
    shared::{Cx, Shared},
};

pub use monitor::Monitor;
pub use settings::Settings;

/// What a controller works with.
pub struct Parts {
    /// The control plane, with the controller's identity.
    pub client: Client,
    /// Time, randomness and tasks.
    pub ports: Ports,
    /// What it is told by its environment.
    pub settings: Settings,
    /// Looks for artifacts.
    pub searcher: Arc<dyn Searcher>,
    /// Runs the steps of Promotions.
    pub steps: Steps,
    /// Argo CD's Applications, where the integration is on.
    pub applications: Option<Applications>,
    /// Where it tells about itself.
    pub monitor: Monitor,
}

/// What runs the steps of Promotions.
#[derive(Clone)]
pub struct Steps {
    /// Runs one step.
    pub runner: Arc<dyn Runner>,
    /// What steps and expressions ask.
    pub control_plane: Arc<dyn ControlPlane>,
    /// Where work directories are.
    pub directory: PathBuf,
    /// How many bytes a work directory may take; `None` is without limit.
    pub quota_bytes: Option<u64>,
}

/// Runs the controller until the tasks of its ports stop.
pub async fn run(parts: Parts) {
    let Parts { client, ports, settings, searcher, steps, applications, monitor } = parts;
    let caches = Caches::start(&client, &settings.shard, &ports);
    let applications = applications.map(|applications| applications.watch());
    let stopping = ports.tasks.stopping();
    let cx = Arc::new(Shared { client, ports, settings, caches, steps, applications });
    tokio::select! {
        biased;
        () = stopping => {}
        () = work(&cx, searcher, &monitor) => {}
    }
    // Passes end what they have begun.
    monitor.stopped().await;
}

/// Starts all controllers when all there is is known, and never ends.
async fn work(cx: &Cx, searcher: Arc<dyn Searcher>, monitor: &Monitor) {
    cx.caches.synced().await;
    // These need nobody else; Promotions under way go on at once.
    let promotions = promotion::start(cx);
    let warehouses = warehouse::start(cx, searcher);
    let requests = promotion_request::start(cx);
    if let Some(applications) = &cx.applications {
        applications.settled().await;
    }
    let [stages, control_flow_stages] = stage::start(cx).await;
    monitor.set(vec![
        warehouses,
        requests,
        promotions.workers.clone(),
        stages,
        control_flow_stages,
    ]);
    monitor.count(promotions.figures());
    let (warehouses, stages) = (cx.caches.warehouses.len(), cx.caches.stages.len());
    tracing::info!(warehouses, stages, "controller working");
    std::future::pending::<()>().await;
}
