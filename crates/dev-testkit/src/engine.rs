//! The embedded engine inside a test: the real API server on a store in memory, and clients of any identity.

use std::{sync::Arc, time::Duration};

use core_clock::{Clock, Entropy, ManualClock, SeededEntropy, Tasks};
use emb_apiserver::{Admission, ApiServer, Config, Limits, WebhookAccess};
use emb_auth::{StaticToken, TokenKeys};
use emb_meta::GroupResource;
use emb_store::{MemoryLog, Store};
use io_runtime::{SystemClock, TaskGroup};
use serde_json::Value;

pub use emb_apiserver::AuditSink;
pub use emb_auth::Identity;

/// The bearer token of the administrator on the network face.
pub const ADMIN_TOKEN: &str = "admin-token";
/// How long [`Engine::stop`] waits for tasks.
const GRACE: Duration = Duration::from_secs(10);

/// A running control plane with all kinds installed. Ends with the test's runtime, or by [`Engine::stop`].
pub struct Engine {
    server: Arc<ApiServer>,
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    tasks: TaskGroup,
}

/// How an engine differs from the plain one, which has the machine's clock, seed 0 and no admission.
#[derive(Default)]
pub struct EngineBuilder {
    clock: Option<ManualClock>,
    seed: u64,
    log: MemoryLog,
    store: emb_store::Options,
    admission: Vec<Arc<dyn Admission>>,
    crds: Vec<Value>,
    objects: Vec<Value>,
    limits: Limits,
    audit: Option<Arc<dyn AuditSink>>,
}

impl EngineBuilder {
    /// Time moves only when the test says so.
    #[must_use]
    pub fn clock(mut self, clock: ManualClock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Decides every random number.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What is stored already; give the same log twice to restart a server.
    #[must_use]
    pub fn log(mut self, log: MemoryLog) -> Self {
        self.log = log;
        self
    }

    /// How much history the store keeps, and other bounds of it.
    #[must_use]
    pub fn store(mut self, options: emb_store::Options) -> Self {
        self.store = options;
        self
    }

    /// Adds admission rules, asked in this order.
    #[must_use]
    pub fn admission(mut self, rules: Arc<dyn Admission>) -> Self {
        self.admission.push(rules);
        self
    }

    /// Adds kinds to our own.
    #[must_use]
    pub fn crds(mut self, crds: impl IntoIterator<Item = Value>) -> Self {
        self.crds.extend(crds);
        self
    }

    /// Adds objects to create at start, in this order, without admission.
    #[must_use]
    pub fn objects(mut self, objects: impl IntoIterator<Item = Value>) -> Self {
        self.objects.extend(objects);
        self
    }

    /// Bounds on size, time and number of requests.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Where the audit log goes.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn AuditSink>) -> Self {
        self.audit = Some(audit);
        self
    }

    /// Starts the engine.
    pub async fn start(self) -> anyhow::Result<Engine> {
        let clock: Arc<dyn Clock> = match self.clock {
            Some(manual) => Arc::new(manual),
            None => Arc::new(SystemClock::new()),
        };
        let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(self.seed));
        let tasks = TaskGroup::new();
        let (store, _) =
            Store::open(Box::new(self.log), clock.clone(), entropy.clone(), self.store)?;
        let config = Config {
            store: store.clone(),
            clock: clock.clone(),
            entropy: entropy.clone(),
            tasks: Arc::new(tasks.clone()),
            admission: self.admission,
            webhooks: WebhookAccess::default(),
            crds: [api_kinds::crd::crds(), self.crds].concat(),
            seeds: self.objects,
            deletion_order: deletion_order(),
            tokens: TokenKeys::generate(&*entropy),
            static_tokens: vec![StaticToken::new(ADMIN_TOKEN, Identity::admin())],
            ca_bundle: String::new(),
            limits: self.limits,
            audit: self.audit,
            version: "0.0.0".into(),
            address: "127.0.0.1:6443".into(),
        };
        let server = ApiServer::start(config).await?;
        Ok(Engine { server, store, clock, entropy, tasks })
    }
}

/// What goes first when a Project's namespace is deleted, as in the program.
fn deletion_order() -> Vec<GroupResource> {
    ["promotions", "stages", "freights", "warehouses"]
        .map(|plural| GroupResource::new("kargo.akuity.io", plural))
        .into()
}

impl Engine {
    /// The plain engine.
    pub async fn start() -> anyhow::Result<Self> {
        Self::builder().start().await
    }

    /// An engine of the test's own making.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// A client that acts as `identity`; permissions apply to it.
    pub fn client_as(&self, identity: Identity) -> kube::Client {
        kube::Client::new(self.server.client_service(identity), "default")
    }

    /// A client that may do everything.
    pub fn admin_client(&self) -> kube::Client {
        self.client_as(Identity::admin())
    }

    /// The server, for its tower services.
    pub fn server(&self) -> &Arc<ApiServer> {
        &self.server
    }

    /// The store behind the server.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The clock that the server runs on.
    pub fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    /// The random numbers of the server.
    pub fn entropy(&self) -> Arc<dyn Entropy> {
        self.entropy.clone()
    }

    /// The server's tasks; what is spawned here stops with the engine.
    pub fn tasks(&self) -> Arc<dyn Tasks> {
        Arc::new(self.tasks.clone())
    }

    /// A group that stops with the engine and can stop before it, such as that of one component.
    pub fn child_tasks(&self) -> TaskGroup {
        self.tasks.child()
    }

    /// Stops the server; returns whether all tasks ended.
    pub async fn stop(self) -> bool {
        self.tasks.shutdown(GRACE).await
    }
}

#[cfg(test)]
mod tests {
    use api_kinds::project::Project;
    use kube::{Api, api::ListParams};

    use super::*;

    #[tokio::test]
    async fn serves_our_kinds_to_the_admin_and_refuses_a_stranger() {
        let engine = Engine::start().await.unwrap();
        let projects: Api<Project> = Api::all(engine.admin_client());
        assert!(projects.list(&ListParams::default()).await.unwrap().items.is_empty());
        let stranger: Api<Project> = Api::all(engine.client_as(Identity::anonymous()));
        let refused = stranger.list(&ListParams::default()).await.unwrap_err();
        assert!(matches!(refused, kube::Error::Api(status) if status.code == 403));
        assert!(engine.stop().await);
    }
}
