//! The controller of a shard: it looks for artifacts and makes Freight of them.
//!
//! What to do is decided in `core_rules::warehouse`; here it is observed and carried out.

mod monitor;
mod settings;
mod warehouse;

use std::sync::Arc;

use io_kube::Ports;
use kube::Client;
use work_discovery::Searcher;

pub use monitor::Monitor;
pub use settings::Settings;

/// Runs the controller until the tasks of `ports` stop.
pub async fn run(
    client: Client,
    ports: Ports,
    settings: Settings,
    searcher: Arc<dyn Searcher>,
    monitor: Monitor,
) {
    let cx = warehouse::Context::start(client, ports.clone(), settings, searcher);
    tokio::select! {
        biased;
        () = ports.tasks.stopping() => return,
        () = cx.synced() => {}
    }
    let workers = warehouse::start(&cx);
    monitor.set(workers);
    tracing::info!(warehouses = cx.warehouses(), "controller working");
    monitor.stopped().await;
}
