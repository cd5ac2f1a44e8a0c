//! An engine that admits as the program does, and a controller that works on it.

use std::{future::Future, path::Path, sync::Arc, time::Duration};

use api_kinds::{Freight, Warehouse};
use core_clock::{FixedEnvironment, ManualClock};
use core_rules::admission::Identities;
use dev_testkit::engine::{AuditSink, Engine, Identity};
use io_argo::Applications;
use io_kube::Ports;
use io_runtime::TaskGroup;
use kube::{
    Api, Client,
    api::{Patch, PatchParams, PostParams},
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use svc_admission::{Admitter, Rules};
use svc_controller::{Monitor, Parts, Settings, Steps};
use work_steps::{Cluster, ClusterSettings, GitIdentity};

use crate::{
    losses::{Losses, lossy},
    repositories::Repositories,
    script::Script,
};

const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(10);
/// How long a controller may take to stop.
const GRACE: Duration = Duration::from_secs(5);
const NAMESPACE: &str = "kargo";
const CONTROLLER: &str = "system:serviceaccount:kargo:kargo-controller";
const ADMISSION: &str = "system:serviceaccount:kargo:kargo-kubernetes-webhooks-server";

pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) clock: ManualClock,
    pub(crate) repositories: Arc<Repositories>,
    /// What steps do.
    pub(crate) script: Arc<Script>,
    /// How much time passes on the clock of the engine while the test waits for a moment.
    pub(crate) tick: Duration,
    /// What components ask of the API server.
    pub(crate) requests: Arc<Requests>,
    /// What gets lost on the way to the controller.
    pub(crate) losses: Arc<Losses>,
    engine: Engine,
    settings: Settings,
    directory: tempfile::TempDir,
    controller: TaskGroup,
}

impl World {
    /// A Project namespace and a controller with these settings. Time stands still.
    pub(crate) async fn start(variables: &[(&str, &str)]) -> Self {
        let mut world = Self::idle(variables).await;
        world.start_controller();
        world
    }

    /// The same before the controller starts. AnalysisRuns and Applications are served.
    pub(crate) async fn idle(variables: &[(&str, &str)]) -> Self {
        let mut kinds = api_analysis::crds();
        kinds.push(application_kind());
        Self::serving(variables, kinds).await
    }

    /// The same with these kinds beside our own.
    pub(crate) async fn serving(variables: &[(&str, &str)], kinds: Vec<Value>) -> Self {
        let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
        let namespace = json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": "demo", "labels": {"kargo.akuity.io/project": "true"}},
        });
        let rules = Arc::new(Rules::default());
        let requests = Arc::new(Requests::default());
        let engine = Engine::builder()
            .clock(clock.clone())
            .admission(rules.clone())
            .audit(requests.clone())
            .crds(kinds)
            .objects([namespace])
            .start()
            .await
            .unwrap();
        let mut settings = svc_admission::Settings::new(NAMESPACE);
        settings.identities = Identities::new(&format!("^{CONTROLLER}$"), "", "").unwrap();
        let client = engine.client_as(component(ADMISSION));
        rules.enforce(Admitter::new(client, settings, ports(&engine, engine.child_tasks())));
        let environment: FixedEnvironment = variables.iter().copied().collect();
        Self {
            client: engine.admin_client(),
            clock,
            repositories: Arc::default(),
            script: Arc::default(),
            tick: Duration::ZERO,
            requests,
            losses: Arc::default(),
            settings: Settings::from_environment(&environment).unwrap(),
            directory: tempfile::tempdir().unwrap(),
            controller: engine.child_tasks(),
            engine,
        }
    }

    /// Starts a controller.
    pub(crate) fn start_controller(&mut self) {
        self.controller = self.engine.child_tasks();
        let ports = ports(&self.engine, self.controller.clone());
        let client = self.engine.client_as(component(CONTROLLER));
        let client = lossy(client, self.losses.clone());
        let cluster = ClusterSettings {
            shared_namespace: None,
            system_namespace: NAMESPACE.to_owned(),
            git_identity: GitIdentity {
                name: "Kargo".to_owned(),
                email: "kargo@example.com".to_owned(),
                signing_key: None,
            },
        };
        let parts = Parts {
            client: client.clone(),
            settings: self.settings.clone(),
            searcher: self.repositories.clone(),
            steps: Steps {
                runner: self.script.clone(),
                control_plane: Arc::new(Cluster::new(client, cluster, ports.clock.clone())),
                directory: self.directory.path().to_owned(),
                quota_bytes: None,
            },
            applications: Some(Applications::new(self.client.clone(), "argocd", &ports)),
            monitor: Monitor::default(),
            ports: ports.clone(),
        };
        ports.tasks.spawn("controller", Box::pin(svc_controller::run(parts)));
    }

    /// Stops the controller as the end of its process does.
    pub(crate) async fn stop_controller(&self) {
        assert!(self.controller.shutdown(GRACE).await, "the controller does not stop");
    }

    /// Where the work directories of Promotions are.
    pub(crate) fn work_directory(&self) -> &Path {
        self.directory.path()
    }

    /// The repository of a Warehouse whose Freight tests make.
    pub(crate) fn repository(warehouse: &str) -> String {
        match warehouse {
            "w" => "https://git.example.com/app.git".to_owned(),
            other => format!("https://git.example.com/{other}.git"),
        }
    }

    /// Creates a Warehouse that looks at one repository every five minutes.
    pub(crate) async fn create(&self, name: &str, url: &str) {
        self.create_for(name, &[url], "").await;
    }

    /// Creates a Warehouse that looks at several repositories.
    pub(crate) async fn create_for(&self, name: &str, urls: &[&str], shard: &str) {
        let subscriptions: Vec<_> =
            urls.iter().map(|url| json!({"git": {"repoURL": url}})).collect();
        let warehouse: Warehouse = serde_json::from_value(json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
            "metadata": {"name": name, "namespace": "demo"},
            "spec": {"shard": shard, "interval": "5m", "subscriptions": subscriptions},
        }))
        .unwrap();
        self.warehouses().create(&PostParams::default(), &warehouse).await.unwrap();
    }

    /// Asks for a refresh.
    pub(crate) async fn refresh(&self, name: &str, token: &str) {
        let patch = json!({"metadata": {"annotations": {"kargo.akuity.io/refresh": token}}});
        let params = PatchParams::default();
        self.warehouses().patch(name, &params, &Patch::Merge(patch)).await.unwrap();
    }

    pub(crate) fn warehouses(&self) -> Api<Warehouse> {
        Api::namespaced(self.client.clone(), "demo")
    }

    pub(crate) async fn warehouse(&self, name: &str) -> Warehouse {
        self.warehouses().get(name).await.unwrap()
    }

    pub(crate) async fn freight(&self) -> Vec<Freight> {
        let freights: Api<Freight> = Api::namespaced(self.client.clone(), "demo");
        freights.list(&kube::api::ListParams::default()).await.unwrap().items
    }

    /// Type, status and reason of a Warehouse's conditions.
    pub(crate) async fn conditions(&self, name: &str) -> Vec<String> {
        let warehouse = self.warehouse(name).await;
        let conditions = warehouse.status.conditions.iter();
        conditions.map(|c| format!("{} {:?} {}", c.r#type, c.status, c.reason)).collect()
    }

    /// Waits until something holds. Only as much time passes on the clock of the engine as the world ticks.
    pub(crate) async fn until<R: Future<Output = bool>>(&self, what: &str, holds: impl Fn() -> R) {
        let waited = async {
            while !holds().await {
                real_time(POLL).await;
                self.clock.advance(self.tick);
            }
        };
        tokio::time::timeout(PATIENCE, waited).await.unwrap_or_else(|_| panic!("never: {what}"));
    }
}

/// Lets real time go by, in which tasks run; the clock of the engine stands still.
#[expect(clippy::disallowed_methods, reason = "the clock of the engine is the test's")]
pub(crate) async fn real_time(time: Duration) {
    tokio::time::sleep(time).await;
}

/// The kind of Argo CD's Applications, with whatever fields.
fn application_kind() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "applications.argoproj.io"},
        "spec": {
            "group": "argoproj.io", "scope": "Namespaced",
            "names": {"kind": "Application", "listKind": "ApplicationList", "plural": "applications", "singular": "application"},
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

/// Requests of components, but for watches and the lists before them, as `verb path`.
#[derive(Default)]
pub(crate) struct Requests(Mutex<Vec<String>>);

impl Requests {
    /// Those since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }
}

impl AuditSink for Requests {
    fn record(&self, line: &str) {
        let event: Value = serde_json::from_str(line).unwrap();
        let text = |pointer| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let (user, verb) = (text("/user/username"), text("/verb"));
        if [CONTROLLER, ADMISSION].contains(&user) && verb != "watch" {
            self.0.lock().push(format!("{verb} {}", text("/requestURI")));
        }
    }
}

/// A component's identity, with more power than it has in an installation.
fn component(user: &str) -> Identity {
    Identity { user: user.to_owned(), ..Identity::admin() }
}

fn ports(engine: &Engine, tasks: TaskGroup) -> Ports {
    Ports { clock: engine.clock(), entropy: engine.entropy(), tasks: Arc::new(tasks) }
}
