//! The components that `up` runs in this process, each under its own identity and nothing more.

use std::sync::Arc;

use core_clock::{Environment, Tasks};
use core_rules::access::Component;
use emb_apiserver::ApiServer;
use emb_store::Store;
use io_kube::Ports;
use io_runtime::SystemEnvironment;
use svc_management::{Monitor, Replicas};

use super::{World, components};
use crate::exit::Failure;

/// Starts the management controller. The lock of the data directory sees to it that there is one.
pub(super) fn start_management(
    server: &ApiServer,
    store: &Store,
    world: &World,
) -> Result<(), Failure> {
    let settings =
        svc_management::Settings::from_environment(&LocalEnvironment).map_err(Failure::usage)?;
    let client = client(server, store, Component::ManagementController);
    let work =
        svc_management::run(client, ports(world), settings, Replicas::One, Monitor::default());
    world.tasks.spawn(
        "management controller",
        Box::pin(async move {
            if let Err(error) = work.await {
                tracing::error!(%error, "management controller ended");
            }
        }),
    );
    Ok(())
}

/// Starts the garbage collector, which runs every hour.
pub(super) fn start_garbage_collector(
    server: &ApiServer,
    store: &Store,
    world: &World,
) -> Result<(), Failure> {
    let settings = svc_gc::Settings::from_environment(&LocalEnvironment).map_err(Failure::usage)?;
    let client = client(server, store, Component::GarbageCollector);
    let metrics = Arc::new(svc_gc::Metrics::default());
    let work = svc_gc::run_scheduled(client, ports(world), settings, metrics);
    world.tasks.spawn("garbage collector", Box::pin(work));
    Ok(())
}

/// A client of the embedded engine that may do what the component's ServiceAccount may.
fn client(server: &ApiServer, store: &Store, component: Component) -> kube::Client {
    let identity = components::identity(store, component);
    kube::Client::new(server.client_service(identity), "default")
}

fn ports(world: &World) -> Ports {
    Ports {
        clock: world.clock.clone(),
        entropy: world.entropy.clone(),
        tasks: Arc::new(world.tasks.clone()),
    }
}

/// The environment of the process, with what a single machine needs where it says nothing.
struct LocalEnvironment;

impl Environment for LocalEnvironment {
    fn var(&self, name: &str) -> Option<String> {
        SystemEnvironment.var(name).or_else(|| local(name).map(str::to_owned))
    }
}

fn local(name: &str) -> Option<&'static str> {
    match name {
        "EXTERNAL_WEBHOOK_SERVER_BASE_URL" => Some("http://localhost:8080"),
        // The embedded engine serves no AnalysisRuns unless someone installs their definitions.
        "ROLLOUTS_INTEGRATION_ENABLED" => Some("false"),
        _ => None,
    }
}
