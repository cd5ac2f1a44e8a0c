//! The components that `up` runs in this process, each under its own identity and nothing more.

use std::sync::Arc;

use core_clock::{Environment, Tasks};
use core_rules::access::{self, Component};
use emb_apiserver::ApiServer;
use emb_store::Store;
use io_kube::Ports;
use io_runtime::SystemEnvironment;
use svc_admission::Admitter;
use svc_management::{Monitor, Replicas};

use super::{Ground, World, admission::Rules, components};
use crate::exit::Failure;

/// Lets the rules of admission hold, read through the identity of the webhook server.
pub(super) fn enforce_admission(
    rules: &Rules,
    server: &ApiServer,
    ground: &Ground<'_>,
) -> Result<(), Failure> {
    let settings =
        svc_admission::Settings::from_environment(&LocalEnvironment).map_err(Failure::usage)?;
    let client = client(server, ground.store, Component::KubernetesWebhooksServer);
    rules.enforce(Admitter::new(client, settings, ports(ground.world)));
    Ok(())
}

/// Starts the management controller. The lock of the data directory sees to it that there is one.
pub(super) fn start_management(server: &ApiServer, ground: &Ground<'_>) -> Result<(), Failure> {
    let settings =
        svc_management::Settings::from_environment(&LocalEnvironment).map_err(Failure::usage)?;
    let client = client(server, ground.store, Component::ManagementController);
    let work = svc_management::run(
        client,
        ports(ground.world),
        settings,
        Replicas::One,
        Monitor::default(),
    );
    ground.world.tasks.spawn(
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
    ground: &Ground<'_>,
) -> Result<(), Failure> {
    let settings = svc_gc::Settings::from_environment(&LocalEnvironment).map_err(Failure::usage)?;
    let client = client(server, ground.store, Component::GarbageCollector);
    let metrics = Arc::new(svc_gc::Metrics::default());
    let work = svc_gc::run_scheduled(client, ports(ground.world), settings, metrics);
    ground.world.tasks.spawn("garbage collector", Box::pin(work));
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
        SystemEnvironment.var(name).or_else(|| local(name))
    }
}

fn local(name: &str) -> Option<String> {
    let namespace = components::namespace();
    let account = |component: Component| access::user_name(&namespace, component.service_account());
    match name {
        "KARGO_NAMESPACE" => Some(namespace),
        "CONTROLPLANE_USER_REGEX" => Some(access::control_plane_user_pattern(&namespace)),
        "MANAGEMENT_CONTROLLER_USERNAME" => Some(account(Component::ManagementController)),
        "EXTERNAL_WEBHOOKS_SERVER_USERNAME" => Some(account(Component::ExternalWebhooksServer)),
        "EXTERNAL_WEBHOOK_SERVER_BASE_URL" => Some("http://localhost:8080".into()),
        // The embedded engine serves no AnalysisRuns unless someone installs their definitions.
        "ROLLOUTS_INTEGRATION_ENABLED" => Some("false".into()),
        _ => None,
    }
}
