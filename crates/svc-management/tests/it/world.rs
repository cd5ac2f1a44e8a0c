//! An engine with an installation in it, and a management controller that works on it.

use std::{
    fmt::Debug,
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use api_kinds::Project;
use core_clock::{FixedEnvironment, ManualClock, Tasks};
use core_rules::access;
use dev_testkit::engine::{Engine, Identity};
use io_kube::{BoxError, Ports};
use io_runtime::TaskGroup;
use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use kube::{
    Api, Client, Resource,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use svc_management::{Monitor, Replicas, Settings};
use tower::Service as _;

const PATIENCE: Duration = Duration::from_secs(20);
/// Of so many requests one is lost, and of another one the reply.
const FAULT_PERIOD: u64 = 17;
const POLL: Duration = Duration::from_millis(10);

/// A running engine, seen by an administrator.
pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) client: Client,
    /// Settings of management controllers that differ from the usual ones.
    pub(crate) variables: Vec<(&'static str, &'static str)>,
}

/// Objects of kinds that tests handle.
pub(crate) trait Kind:
    Resource<DynamicType = ()> + Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
}
impl<T> Kind for T where
    T: Resource<DynamicType = ()>
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

impl World {
    /// An installation without a management controller.
    pub(crate) async fn empty(clock: Option<ManualClock>) -> Self {
        let options = access::Options::default();
        let objects = [access::namespaces(&options), access::objects(&options)].concat();
        let builder = Engine::builder().objects(objects);
        let builder = match clock {
            Some(clock) => builder.clock(clock),
            None => builder,
        };
        let engine = builder.start().await.unwrap();
        let client = engine.admin_client();
        Self { engine, client, variables: vec![] }
    }

    /// An installation with a management controller.
    pub(crate) async fn start() -> Self {
        let world = Self::empty(None).await;
        world.manage(Replicas::One);
        world
    }

    /// Starts a management controller; stop it by the group that is returned.
    pub(crate) fn manage(&self, replicas: Replicas) -> (TaskGroup, Monitor) {
        let client = self.engine.client_as(identity());
        let (tasks, monitor) = (self.engine.child_tasks(), Monitor::default());
        let run = self.run(client, &tasks, replicas, monitor.clone());
        tasks.spawn("management", Box::pin(async move { run.await.unwrap() }));
        (tasks, monitor)
    }

    /// Starts a management controller many of whose requests fail: some are never made, of others
    /// the reply is lost.
    pub(crate) fn manage_over_a_bad_network(&self) {
        let tasks = self.engine.child_tasks();
        let run = self.run(self.bad_client(), &tasks, Replicas::One, Monitor::default());
        tasks.spawn("management", Box::pin(async move { run.await.unwrap() }));
    }

    fn bad_client(&self) -> Client {
        let (server, count) = (self.engine.server().client_service(identity()), AtomicU64::new(0));
        let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
            let turn = count.fetch_add(1, Ordering::Relaxed) % FAULT_PERIOD;
            let mut server = server.clone();
            async move {
                if turn == 5 {
                    return Err(BoxError::from("request lost"));
                }
                let reply = server.call(request).await.map_err(BoxError::from)?;
                if turn == 12 { Err("reply lost".into()) } else { Ok(reply) }
            }
        });
        Client::new(service, "default")
    }

    /// The management controller itself.
    pub(crate) fn run(
        &self,
        client: Client,
        tasks: &TaskGroup,
        replicas: Replicas,
        monitor: Monitor,
    ) -> impl Future<Output = Result<(), svc_management::Error>> + Send + use<> {
        let ports = Ports {
            clock: self.engine.clock(),
            entropy: self.engine.entropy(),
            tasks: Arc::new(tasks.clone()),
        };
        let url = ("EXTERNAL_WEBHOOK_SERVER_BASE_URL", "https://hooks.example.com");
        let variables: FixedEnvironment = self.variables.iter().copied().chain([url]).collect();
        let settings = Settings::from_environment(&variables).unwrap();
        svc_management::run(client, ports, settings, replicas, monitor)
    }

    pub(crate) fn cluster<K: Kind + Resource<Scope = ClusterResourceScope>>(&self) -> Api<K> {
        Api::all(self.client.clone())
    }

    pub(crate) fn within<K: Kind + Resource<Scope = NamespaceResourceScope>>(
        &self,
        namespace: &str,
    ) -> Api<K> {
        Api::namespaced(self.client.clone(), namespace)
    }

    /// Creates a Project and waits until it is ready.
    pub(crate) async fn ready_project(&self, name: &str, annotations: Value) -> Project {
        self.create_project(name, annotations).await;
        self.until_ready(name).await
    }

    pub(crate) async fn create_project(&self, name: &str, annotations: Value) {
        let project = json!({"metadata": {"name": name, "annotations": annotations}});
        create(&self.cluster::<Project>(), project).await;
    }

    pub(crate) async fn until_ready(&self, name: &str) -> Project {
        let projects = self.cluster::<Project>();
        self.eventually("the Project is ready", async || {
            let project = projects.get_opt(name).await.unwrap()?;
            conditions(&project).contains(&"Ready=True".to_owned()).then_some(project)
        })
        .await
    }

    pub(crate) async fn until_gone<K: Kind>(&self, api: &Api<K>, name: &str) {
        self.eventually(&format!("{} {name} is gone", K::kind(&())), async || {
            api.get_opt(name).await.unwrap().is_none().then_some(())
        })
        .await;
    }

    pub(crate) async fn until_there<K: Kind>(&self, api: &Api<K>, name: &str) -> K {
        self.eventually(&format!("{} {name} is there", K::kind(&())), async || {
            api.get_opt(name).await.unwrap()
        })
        .await
    }

    /// Polls until there is a value.
    pub(crate) async fn eventually<T, F: Future<Output = Option<T>>>(
        &self,
        what: &str,
        mut poll: impl FnMut() -> F,
    ) -> T {
        for _ in 0..PATIENCE.as_millis() / POLL.as_millis() {
            if let Some(value) = poll().await {
                return value;
            }
            pause(POLL).await;
        }
        panic!("not within {} s: {what}", PATIENCE.as_secs());
    }
}

/// Whom the management controller is.
pub(crate) fn identity() -> Identity {
    let name = access::Component::ManagementController.service_account();
    Identity::service_account("kargo", name, "uid")
}

/// Waits in the time of the machine.
#[expect(clippy::disallowed_methods, reason = "tests wait for work that runs in real time")]
pub(crate) async fn pause(time: Duration) {
    tokio::time::sleep(time).await;
}

pub(crate) async fn create<K: Kind>(api: &Api<K>, object: Value) -> K {
    let object = serde_json::from_value(object).unwrap();
    api.create(&PostParams::default(), &object).await.unwrap()
}

pub(crate) async fn merge<K: Kind>(api: &Api<K>, name: &str, patch: Value) -> K {
    api.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap()
}

pub(crate) async fn delete<K: Kind>(api: &Api<K>, name: &str) {
    api.delete(name, &DeleteParams::default()).await.unwrap();
}

/// The conditions of a Project, shown as `Type=Status`.
pub(crate) fn conditions(project: &Project) -> Vec<String> {
    let show = |condition: &api_kinds::condition::Condition| {
        format!("{}={}", condition.r#type, condition.status)
    };
    project.status.conditions.iter().map(show).collect()
}
