//! A control plane with a clock that the test moves, and Projects in it.

use std::{future::Future, sync::Arc, time::Duration};

use api_kinds::{Freight, Promotion, Stage};
use core_clock::{ManualClock, Time};
use core_rules::{
    access::{self, Component, Options},
    retention::{Limit, Policy},
};
use dev_testkit::engine::{Engine, Identity};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};
use svc_gc::{Collector, Metrics, Report, RequestError, Settings};

/// An engine in which every permission of an installation is in place.
pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) clock: ManualClock,
    pub(crate) metrics: Arc<Metrics>,
}

impl World {
    pub(crate) async fn start() -> Self {
        let options = Options::default();
        Self::start_with([access::namespaces(&options), access::objects(&options)].concat()).await
    }

    pub(crate) async fn start_with(objects: Vec<Value>) -> Self {
        let clock = ManualClock::new(Time::from_seconds(1_767_225_600));
        let builder = Engine::builder().clock(clock.clone()).objects(objects);
        let engine = builder.start().await.unwrap();
        Self { engine, clock, metrics: Arc::default() }
    }

    /// A client with the permissions of the collector.
    pub(crate) fn collector_client(&self) -> Client {
        let account = Component::GarbageCollector.service_account();
        self.engine.client_as(Identity::service_account("kargo", account, ""))
    }

    /// One run.
    pub(crate) async fn collect(&self, settings: Settings) -> Result<Report, RequestError> {
        let collector = Collector::new(
            self.collector_client(),
            Arc::new(self.clock.clone()),
            settings,
            self.metrics.clone(),
        );
        self.while_time_passes(collector.collect()).await
    }

    /// The outcome of `work`, during which the clock moves: turns of the limiter come by.
    pub(crate) async fn while_time_passes<T>(&self, work: impl Future<Output = T>) -> T {
        let passing = async {
            loop {
                self.clock.advance(Duration::from_millis(1));
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            outcome = work => outcome,
            () = passing => unreachable!("time never ends"),
        }
    }

    pub(crate) async fn project(&self, name: &str) {
        let labels = json!({"kargo.akuity.io/project": "true"});
        self.create("", "v1", "Namespace", json!({"metadata": {"name": name, "labels": labels}}))
            .await;
        self.kargo(
            name,
            "Warehouse",
            json!({"metadata": {"name": "w"}, "spec": {
                "subscriptions": [{"git": {"repoURL": "https://example.com/r.git"}}],
            }}),
        )
        .await;
    }

    /// A Stage with this status.
    pub(crate) async fn stage(&self, project: &str, name: &str, status: Value) {
        let origin = json!({"kind": "Warehouse", "name": "w"});
        let spec = json!({"requestedFreight": [{"origin": origin, "sources": {"direct": true}}]});
        self.kargo(project, "Stage", json!({"metadata": {"name": name}, "spec": spec})).await;
        let stages: Api<Stage> = Api::namespaced(self.engine.admin_client(), project);
        self.set_status(&stages, name, status).await;
    }

    /// Freight, one minute newer than what came before.
    pub(crate) async fn freight(&self, project: &str, name: &str) {
        self.clock.advance(Duration::from_mins(1));
        let origin = json!({"kind": "Warehouse", "name": "w"});
        self.kargo(project, "Freight", json!({"metadata": {"name": name}, "origin": origin})).await;
    }

    /// A Promotion in this phase, one minute newer than what came before.
    pub(crate) async fn promotion(&self, project: &str, name: &str, freight: &str, phase: &str) {
        self.clock.advance(Duration::from_mins(1));
        let spec = json!({"stage": "test", "freight": freight, "steps": [{"uses": "copy"}]});
        self.kargo(project, "Promotion", json!({"metadata": {"name": name}, "spec": spec})).await;
        let promotions: Api<Promotion> = Api::namespaced(self.engine.admin_client(), project);
        self.set_status(&promotions, name, json!({"phase": phase})).await;
    }

    pub(crate) async fn kargo(&self, project: &str, kind: &str, object: Value) {
        self.create(project, api_kinds::API_VERSION, kind, object).await;
    }

    /// Creates an object of any kind.
    pub(crate) async fn create(&self, namespace: &str, version: &str, kind: &str, object: Value) {
        let (group, version) = version.rsplit_once('/').unwrap_or(("", version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        let client = self.engine.admin_client();
        let api: Api<DynamicObject> = match namespace {
            "" => Api::all_with(client, &resource),
            namespace => Api::namespaced_with(client, namespace, &resource),
        };
        let mut object: DynamicObject = serde_json::from_value(object).unwrap();
        let types = kube::api::TypeMeta {
            api_version: resource.api_version.clone(),
            kind: kind.to_owned(),
        };
        object.types = Some(types);
        api.create(&PostParams::default(), &object).await.unwrap();
    }

    async fn set_status<K>(&self, api: &Api<K>, name: &str, status: Value)
    where
        K: serde::de::DeserializeOwned,
    {
        let patch = Patch::Merge(json!({ "status": status }));
        api.patch_status(name, &PatchParams::default(), &patch).await.unwrap();
    }

    /// The names of the Freight that is there.
    pub(crate) async fn freight_names(&self, project: &str) -> Vec<String> {
        let api: Api<Freight> = Api::namespaced(self.engine.admin_client(), project);
        names(api.list(&ListParams::default()).await.unwrap().items)
    }

    /// The names of the Promotions that are there.
    pub(crate) async fn promotion_names(&self, project: &str) -> Vec<String> {
        let api: Api<Promotion> = Api::namespaced(self.engine.admin_client(), project);
        names(api.list(&ListParams::default()).await.unwrap().items)
    }
}

fn names<K: kube::Resource>(objects: Vec<K>) -> Vec<String> {
    objects.iter().filter_map(|object| object.meta().name.clone()).collect()
}

/// Keeps so many of everything that is not in use, however old.
pub(crate) fn keeping(max: usize) -> Settings {
    let limit = Limit { max, min_age: Duration::ZERO };
    let policy =
        Policy { promotions: limit, freight: limit, analysis_runs: limit, ..Policy::default() };
    Settings { policy, ..Settings::default() }
}
