//! An engine whose time stands still, and a client to it that can fail.

use std::{sync::Arc, time::Duration};

use core_clock::{Clock, ManualClock, SeededEntropy, Time};
use dev_testkit::engine::{Engine, Identity};
use io_kube::{ObjectKey, Ports};
use io_runtime::TaskGroup;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde_json::json;

use crate::faults::{Faults, Flaky};

/// A running engine.
pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) clock: ManualClock,
    pub(crate) faults: Arc<Faults>,
    /// The tasks of what is tested.
    pub(crate) tasks: TaskGroup,
    pub(crate) ports: Ports,
    /// The client of what is tested, which the faults are on.
    pub(crate) client: Client,
    /// ConfigMaps as the test itself reads and writes them, past the faults.
    pub(crate) maps: Api<ConfigMap>,
}

impl World {
    pub(crate) async fn start() -> Self {
        let clock = ManualClock::new(Time::from_seconds(1_767_225_600));
        let engine = Engine::builder().clock(clock.clone()).start().await.unwrap();
        let maps = Api::namespaced(engine.admin_client(), "default");
        let faults = Arc::new(Faults::default());
        let client = flaky_client(&engine, &faults);
        let tasks = TaskGroup::new();
        let ports = Ports {
            clock: Arc::new(clock.clone()),
            entropy: Arc::new(SeededEntropy::new(7)),
            tasks: Arc::new(tasks.clone()),
        };
        Self { engine, clock, faults, tasks, ports, client, maps }
    }

    /// Another way to the same engine, with faults and tasks of its own.
    pub(crate) fn beside(&self) -> (Client, Arc<Faults>, TaskGroup, Ports) {
        let faults = Arc::new(Faults::default());
        let tasks = TaskGroup::new();
        let ports = Ports { tasks: Arc::new(tasks.clone()), ..self.ports.clone() };
        (flaky_client(&self.engine, &faults), faults, tasks, ports)
    }

    pub(crate) async fn create(&self, name: &str, value: &str) -> ConfigMap {
        let map = json!({"metadata": {"name": name}, "data": {"k": value}});
        let map = serde_json::from_value(map).unwrap();
        self.maps.create(&PostParams::default(), &map).await.unwrap()
    }

    pub(crate) async fn set(&self, name: &str, value: &str) -> ConfigMap {
        let patch = Patch::Merge(json!({"data": {"k": value}}));
        self.maps.patch(name, &PatchParams::default(), &patch).await.unwrap()
    }

    pub(crate) async fn delete(&self, name: &str) {
        self.maps.delete(name, &DeleteParams::default()).await.unwrap();
    }

    /// Lets tasks work without time passing.
    pub(crate) async fn settle(&self) {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    /// Lets tasks work, then time pass, then tasks work.
    pub(crate) async fn pass(&self, time: Duration) {
        self.settle().await;
        self.clock.advance(time);
        self.settle().await;
    }

    /// Lets time pass in small steps until something holds; fails after 60 s of that time.
    #[track_caller]
    pub(crate) fn eventually<'a>(
        &'a self,
        what: &'a str,
        holds: impl Fn() -> bool + 'a,
    ) -> impl Future<Output = ()> + 'a {
        let limit = self.clock.monotonic() + Duration::from_mins(1);
        async move {
            self.settle().await;
            while !holds() {
                assert!(self.clock.monotonic() < limit, "not within a minute: {what}");
                self.pass(Duration::from_millis(20)).await;
            }
        }
    }
}

fn flaky_client(engine: &Engine, faults: &Arc<Faults>) -> Client {
    let service = engine.server().client_service(Identity::admin());
    Client::new(Flaky { service, faults: faults.clone() }, "default")
}

/// The key of a ConfigMap of the default namespace.
pub(crate) fn key(name: &str) -> ObjectKey {
    ObjectKey::new("default", name)
}

/// What the test wrote into a ConfigMap.
pub(crate) fn value(map: &ConfigMap) -> String {
    map.data.as_ref().and_then(|data| data.get("k")).cloned().unwrap_or_default()
}
