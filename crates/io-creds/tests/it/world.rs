//! An engine whose time stands still, with Secrets in it, and credentials looked up there.

use std::{collections::BTreeMap, future::Future, pin::pin, sync::Arc, time::Duration};

use core_clock::{ManualClock, SeededEntropy, Tasks, Time};
use core_rules::credential::Credential;
use dev_testkit::engine::{Engine, Identity};
use io_creds::{Clusters, Credentials, Error, Kind, Settings};
use io_http::outbound::{self, Outbound};
use io_kube::Ports;
use io_runtime::TaskGroup;
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Client,
    api::{DeleteParams, PostParams},
};
use serde_json::{Value, json};

use crate::{
    double::{Double, Reply, Seen},
    tap::{Tap, Tapped},
};

/// The time at the start: 2026-01-01.
pub(crate) const START: i64 = 1_767_225_600;
/// Real time that one look at a future takes, so that sockets can work meanwhile.
const LOOK: Duration = Duration::from_millis(2);

pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) clock: ManualClock,
    pub(crate) ports: Ports,
    pub(crate) tap: Arc<Tap>,
}

impl World {
    pub(crate) async fn start() -> Self {
        let clock = ManualClock::new(Time::from_seconds(START));
        let namespaces = ["p", "q", "shared", "zone"].map(
            |name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}),
        );
        let engine =
            Engine::builder().clock(clock.clone()).objects(namespaces).start().await.unwrap();
        let ports = Ports {
            clock: Arc::new(clock.clone()),
            entropy: Arc::new(SeededEntropy::new(7)),
            tasks: Arc::new(TaskGroup::new()),
        };
        Self { engine, clock, ports, tap: Arc::default() }
    }

    /// A client that the tap listens in on.
    pub(crate) fn client_as(&self, identity: Identity) -> Client {
        let service = self.engine.server().client_service(identity);
        Client::new(Tapped { service, tap: self.tap.clone() }, "default")
    }

    pub(crate) fn credentials(&self, settings: Settings) -> Credentials {
        self.credentials_of(self.client_as(Identity::admin()), settings)
    }

    pub(crate) fn credentials_of(
        &self,
        clusters: impl Into<Clusters>,
        settings: Settings,
    ) -> Credentials {
        let outbound = Outbound::new(outbound::Settings::default());
        Credentials::new(clusters, settings, outbound, &self.ports)
    }

    pub(crate) async fn double(
        &self,
        script: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Double {
        let tasks: &Arc<dyn Tasks> = &self.ports.tasks;
        Double::start(tasks, script).await
    }

    pub(crate) async fn secret(
        &self,
        namespace: &str,
        name: &str,
        kind: &str,
        data: &[(&str, &str)],
    ) {
        let metadata = json!({"name": name, "labels": {"kargo.akuity.io/cred-type": kind}});
        self.secret_with(namespace, metadata, data).await;
    }

    pub(crate) async fn secret_with(
        &self,
        namespace: &str,
        metadata: Value,
        data: &[(&str, &str)],
    ) {
        let data: BTreeMap<_, _> = data.iter().copied().collect();
        let secret = serde_json::from_value(json!({"metadata": metadata, "stringData": data}));
        self.secrets(namespace).create(&PostParams::default(), &secret.unwrap()).await.unwrap();
    }

    pub(crate) async fn delete(&self, namespace: &str, name: &str) {
        self.secrets(namespace).delete(name, &DeleteParams::default()).await.unwrap();
    }

    fn secrets(&self, namespace: &str) -> Api<Secret> {
        Api::namespaced(self.engine.admin_client(), namespace)
    }

    /// Lets tasks work without time passing.
    pub(crate) async fn settle(&self) {
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
    }

    /// Lets tasks work, then time pass, then tasks work.
    pub(crate) async fn pass(&self, time: Duration) {
        self.settle().await;
        self.clock.advance(time);
        self.settle().await;
    }

    /// The outcome of `work`, while time passes in steps of a second.
    pub(crate) async fn while_time_passes<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        for _ in 0..600 {
            if let Ok(outcome) = tokio::time::timeout(LOOK, &mut work).await {
                return outcome;
            }
            self.clock.advance(Duration::from_secs(1));
        }
        panic!("no outcome within ten minutes");
    }
}

/// The user names found for images and repositories show which Secret it was.
pub(crate) fn user(found: Result<Option<Credential>, Error>) -> Option<String> {
    match found.unwrap()? {
        Credential::Basic { username, .. } => Some(username),
        Credential::SshKey(_) => Some("ssh".into()),
    }
}

pub(crate) async fn git_user(
    credentials: &Credentials,
    project: &str,
    url: &str,
) -> Option<String> {
    user(credentials.get(project, Kind::Git, url).await)
}
