//! An engine on which every permission of an installation is in place, a Project, and an executor.

use std::{future::Future, sync::Arc, time::Duration};

use api_analysis::AnalysisRun;
use core_clock::{FixedEnvironment, ManualClock};
use core_rules::access::{self, Component, Options};
use dev_testkit::engine::{Engine, Identity};
use io_exec::Exec;
use io_http::outbound::Outbound;
use io_kube::Ports;
use io_runtime::TaskGroup;
use k8s_openapi::api::core::v1::{Event, Secret};
use kube::{
    Api, Client,
    api::{ListParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use svc_analysis::{Error, Monitor, Parts, Settings};

pub(crate) const PROJECT: &str = "demo";
const PATIENCE: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(10);
const GRACE: Duration = Duration::from_secs(5);

pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) clock: ManualClock,
    engine: Engine,
    executor: TaskGroup,
}

impl World {
    /// An executor with these settings. Time stands still.
    pub(crate) async fn start(variables: &[(&str, &str)]) -> Self {
        let mut world = Self::idle(api_analysis::crds()).await;
        world.start_executor(variables);
        world
    }

    /// The same before the executor starts, with these further kinds.
    pub(crate) async fn idle(kinds: Vec<Value>) -> Self {
        let clock = ManualClock::new("2026-01-01T00:00:00Z".parse().unwrap());
        let options = Options::default();
        let objects = [
            access::namespaces(&options),
            access::objects(&options),
            kinds,
            vec![
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": PROJECT}}),
                binding(),
            ],
        ];
        let engine =
            Engine::builder().clock(clock.clone()).objects(objects.concat()).start().await.unwrap();
        let executor = engine.child_tasks();
        Self { client: engine.admin_client(), clock, engine, executor }
    }

    /// Starts an executor, and lets it run.
    pub(crate) fn start_executor(&mut self, variables: &[(&str, &str)]) {
        let parts = self.parts(variables);
        self.spawn(parts);
    }

    /// Starts an executor to which the API server looks different. Permissions are no matter then.
    pub(crate) fn start_executor_with(
        &mut self,
        variables: &[(&str, &str)],
        look: &dyn Fn(Client) -> Client,
    ) {
        let parts = Parts { client: look(self.client.clone()), ..self.parts(variables) };
        self.spawn(parts);
    }

    /// Starts one of several executors; the group of its tasks ends it.
    pub(crate) fn start_replica(&mut self, identity: &str) -> TaskGroup {
        let parts = Parts { identity: Some(identity.to_owned()), ..self.parts(&[]) };
        self.spawn(parts);
        self.executor.clone()
    }

    fn spawn(&self, parts: Parts) {
        let work = svc_analysis::run(parts);
        let tasks: Arc<dyn core_clock::Tasks> = Arc::new(self.executor.clone());
        tasks.spawn("executor", Box::pin(async move { work.await.unwrap() }));
    }

    /// What an executor that cannot work says.
    pub(crate) async fn refusal(&mut self, variables: &[(&str, &str)]) -> Error {
        svc_analysis::run(self.parts(variables)).await.unwrap_err()
    }

    fn parts(&mut self, variables: &[(&str, &str)]) -> Parts {
        self.executor = self.engine.child_tasks();
        let ports = Ports {
            clock: Arc::new(self.clock.clone()),
            entropy: self.engine.entropy(),
            tasks: Arc::new(self.executor.clone()),
        };
        let environment: FixedEnvironment = variables.iter().copied().collect();
        let account = Component::AnalysisController.service_account();
        // Programs end by the real clock.
        let clock = Arc::new(io_runtime::SystemClock::new());
        Parts {
            client: self.engine.client_as(Identity::service_account("kargo", account, "")),
            settings: Settings::from_environment(&environment, true).unwrap(),
            outbound: Outbound::new(io_http::outbound::Settings::default()),
            exec: Exec::new(clock, ports.tasks.clone()),
            identity: None,
            monitor: Monitor::default(),
            ports,
        }
    }

    /// Stops the executor as the end of its process does.
    pub(crate) async fn stop_executor(&self) {
        assert!(self.executor.shutdown(GRACE).await, "the executor does not stop");
    }

    pub(crate) fn runs(&self) -> Api<AnalysisRun> {
        Api::namespaced(self.client.clone(), PROJECT)
    }

    /// Creates a run.
    pub(crate) async fn create(&self, name: &str, spec: Value) {
        self.create_labeled(name, spec, json!({})).await;
    }

    pub(crate) async fn create_labeled(&self, name: &str, spec: Value, labels: Value) {
        let run = json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisRun",
            "metadata": {"name": name, "labels": labels}, "spec": spec,
        });
        let run = serde_json::from_value(run).unwrap();
        self.runs().create(&PostParams::default(), &run).await.unwrap();
    }

    pub(crate) async fn secret(&self, name: &str, labels: Value, data: Value) {
        let secret = json!({"metadata": {"name": name, "labels": labels}, "stringData": data});
        let secrets: Api<Secret> = Api::namespaced(self.client.clone(), PROJECT);
        let secret = serde_json::from_value(secret).unwrap();
        secrets.create(&PostParams::default(), &secret).await.unwrap();
    }

    pub(crate) async fn patch(&self, name: &str, patch: Value) {
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        self.runs().patch(name, &params, &patch).await.unwrap();
    }

    /// The run when it has ended.
    pub(crate) async fn ended(&self, name: &str) -> AnalysisRun {
        self.until(name, |run| run.status.phase.is_completed()).await
    }

    /// The run as soon as it is as wanted.
    pub(crate) async fn until(
        &self,
        name: &str,
        wanted: impl Fn(&AnalysisRun) -> bool,
    ) -> AnalysisRun {
        let api = self.runs();
        let look = async || api.get_opt(name).await.unwrap().filter(|run| wanted(run));
        wait(look).await.unwrap_or_else(|| panic!("{name} does not become as wanted"))
    }

    pub(crate) async fn until_gone(&self, name: &str) {
        let api = self.runs();
        let look = async || api.get_opt(name).await.unwrap().is_none().then_some(());
        wait(look).await.unwrap_or_else(|| panic!("{name} does not go"));
    }

    /// Waits for an event with this reason, and gives its message.
    pub(crate) async fn event(&self, reason: &str) -> String {
        let events: Api<Event> = Api::namespaced(self.client.clone(), PROJECT);
        let look = async || {
            let all = events.list(&ListParams::default()).await.unwrap();
            let found = all.items.into_iter().find(|one| one.reason.as_deref() == Some(reason));
            found.and_then(|event| event.message)
        };
        wait(look).await.unwrap_or_else(|| panic!("no event {reason}"))
    }
}

/// Looks until there is something to see.
pub(crate) async fn wait<T, F: Future<Output = Option<T>>>(
    mut look: impl FnMut() -> F,
) -> Option<T> {
    let end = tokio::time::Instant::now() + PATIENCE;
    while tokio::time::Instant::now() < end {
        if let Some(seen) = look().await {
            return Some(seen);
        }
        tokio::time::sleep(POLL).await;
    }
    None
}

/// What the management controller gives the executor in a Project.
fn binding() -> Value {
    let account = Component::AnalysisController.service_account();
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": access::ANALYSIS_ROLE, "namespace": PROJECT},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
            "name": access::ANALYSIS_ROLE,
        },
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": "kargo"}],
    })
}

/// The phase and the message of a run.
pub(crate) fn verdict(run: &AnalysisRun) -> (&str, &str) {
    (run.status.phase.as_str(), &run.status.message)
}
