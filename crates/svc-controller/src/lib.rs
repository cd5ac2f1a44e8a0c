//! The controller of a shard: it looks for artifacts and makes Freight of them.
//!
//! What to do is decided in `core_rules::warehouse`; here it is observed and carried out.

mod caches;
mod monitor;
mod settings;
mod warehouse;

use std::{path::PathBuf, sync::Arc};

use io_argo::Applications;
use io_kube::Ports;
use kube::Client;
use work_discovery::Searcher;
use work_steps::{ControlPlane, driver::Runner};

use self::caches::Caches;

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
    let Parts { client, ports, settings, searcher, monitor, .. } = parts;
    let caches = Caches::start(&client, &settings.shard, &ports);
    let cx = warehouse::Context::new(client, ports.clone(), settings, searcher, caches.clone());
    tokio::select! {
        biased;
        () = ports.tasks.stopping() => return,
        () = caches.synced() => {}
    }
    let workers = warehouse::start(&cx);
    monitor.set(vec![workers]);
    tracing::info!(warehouses = cx.warehouses(), "controller working");
    monitor.stopped().await;
}
