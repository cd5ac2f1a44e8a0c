//! Starting the server, and the two ways into it.

use std::sync::Arc;

use emb_auth::{Identity, Rbac};
use emb_meta::GroupResource;
use emb_store::{Event, Range};
use parking_lot::RwLock;
use serde_json::Value;

use crate::{
    admission::{Chain, Hooks, Stage},
    bootstrap,
    config::{Config, StartError},
    controller,
    internal::Internal,
    limits::InFlight,
    metrics::Metrics,
    registry::{DEFINITIONS, Registry},
    service::{Service, Source},
    state::State,
};

/// The API server. Cheap to share; it lives as long as its services and its tasks.
pub struct ApiServer {
    state: Arc<State>,
}

/// The resources that permissions are made of.
const RBAC_RESOURCES: [&str; 4] = ["roles", "rolebindings", "clusterroles", "clusterrolebindings"];

impl ApiServer {
    /// Loads what the store holds, installs what must be there, and starts the internal controllers.
    pub async fn start(config: Config) -> Result<Arc<Self>, StartError> {
        let Config { crds, seeds, .. } = &config;
        let (crds, seeds) = (crds.clone(), seeds.clone());
        let state = Arc::new(state(config));
        load(&state);
        let observer = Arc::downgrade(&state);
        state.store.on_commit(Arc::new(move |events: &[Arc<Event>]| {
            if let Some(state) = observer.upgrade() {
                state.metrics.batch(events.len());
                for event in events {
                    state.observe(event);
                }
            }
        }));
        let controllers = controller::prepare(&state);
        bootstrap::run(&Internal::new(&state, "kargo-bootstrap"), &crds, &seeds).await?;
        controllers.start(&state);
        Ok(Arc::new(Self { state }))
    }

    /// The service for the network: callers authenticate themselves.
    pub fn service(&self) -> Service {
        Service::new(self.state.clone(), Source::Network)
    }

    /// The service for a component in this process, which acts as `identity`.
    pub fn client_service(&self, identity: Identity) -> Service {
        Service::new(self.state.clone(), Source::InProcess(Arc::new(identity)))
    }

    /// Adds something of the embedding program to what `/debug/engine` reports, under `name`.
    pub fn report_also(
        &self,
        name: &'static str,
        tell: impl Fn() -> Value + Send + Sync + 'static,
    ) {
        self.state.tellings.write().push((name, Box::new(tell)));
    }
}

fn state(config: Config) -> State {
    let (flow_schema, priority_level) = (config.entropy.uuid(), config.entropy.uuid());
    State {
        started: config.clock.now(),
        store: config.store,
        clock: config.clock,
        entropy: config.entropy,
        tasks: config.tasks,
        registry: Registry::new(),
        rbac: RwLock::new(Rbac::default()),
        admission: Chain::new(config.admission, Hooks::new(config.webhooks)),
        deletion_order: config.deletion_order,
        tokens: config.tokens,
        static_tokens: config.static_tokens,
        ca_bundle: config.ca_bundle,
        limits: config.limits,
        in_flight: InFlight::default(),
        metrics: Metrics::default(),
        audit: config.audit,
        version: config.version,
        address: config.address,
        tellings: RwLock::default(),
        flow_schema,
        priority_level,
    }
}

/// Derives the served resources, the webhooks and the permissions from what is stored.
fn load(state: &State) {
    for entry in state.store.list(&DEFINITIONS, Range::default()).entries {
        let definition = (&entry.value(), entry.revision);
        state.registry.apply_definition(&entry.key.name, Some(definition));
    }
    for stage in Stage::ALL {
        let resource = GroupResource::new(Stage::GROUP, stage.resource());
        for entry in state.store.list(&resource, Range::default()).entries {
            state.admission.hooks.apply(stage, &entry.key.name, Some(&entry.value()));
        }
    }
    let mut rbac = state.rbac.write();
    for resource in RBAC_RESOURCES {
        let resource = GroupResource::new("rbac.authorization.k8s.io", resource);
        for entry in state.store.list(&resource, Range::default()).entries {
            let (namespace, name) = (&entry.key.namespace, &entry.key.name);
            rbac.apply(&resource, namespace, name, Some(&entry.value()));
        }
    }
}
