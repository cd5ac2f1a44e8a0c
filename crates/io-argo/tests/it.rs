//! Applications on the embedded engine.
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests say what is wrong by failing")]

use std::{sync::Arc, time::Duration};

use api_kinds::health::HealthState;
use core_clock::{ManualClock, Time};
use core_rules::argo_cd::{Application, ApplicationName, Initiator, sync_patch};
use dev_testkit::engine::Engine;
use io_argo::{Applications, Error, Watched};
use io_kube::Ports;
use k8s_openapi::api::core::v1::Event;
use kube::{
    Api,
    api::{
        ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams,
        PostParams,
    },
};
use serde_json::{Value, json};

const NAMESPACE: &str = "argocd";

/// What the engine must know: the kind, with everything allowed in it, and a namespace.
fn kind_and_namespace() -> Vec<Value> {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = json!({"name": "v1alpha1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    vec![
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "applications.argoproj.io"},
            "spec": {
                "group": "argoproj.io", "scope": "Namespaced",
                "names": {"plural": "applications", "singular": "application", "kind": "Application", "listKind": "ApplicationList"},
                "versions": [version],
            },
        }),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}),
    ]
}

fn ports(engine: &Engine) -> Ports {
    Ports { clock: engine.clock(), entropy: engine.entropy(), tasks: engine.tasks() }
}

fn api_in(engine: &Engine, namespace: &str) -> Api<DynamicObject> {
    let kind =
        ApiResource::from_gvk(&GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application"));
    Api::namespaced_with(engine.admin_client(), namespace, &kind)
}

async fn create(engine: &Engine, name: &str, tier: &str) {
    create_in(engine, NAMESPACE, name, tier).await;
}

async fn create_in(engine: &Engine, namespace: &str, name: &str, tier: &str) {
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": name, "labels": {"tier": tier}},
        "spec": {"source": {"repoURL": "https://git.example/repo", "targetRevision": "main"}, "project": "default"},
        "status": {"operationState": {"phase": "Succeeded"}, "summary": {"images": ["kept"]}},
    });
    let object = serde_json::from_value(object).unwrap();
    api_in(engine, namespace).create(&PostParams::default(), &object).await.unwrap();
}

#[tokio::test]
async fn a_sync_is_asked_for_once_and_what_is_not_ours_stays() {
    let engine = Engine::builder().objects(kind_and_namespace()).start().await.unwrap();
    create(&engine, "web", "front").await;
    let applications = Applications::new(engine.admin_client(), NAMESPACE, &ports(&engine));
    let before = applications.get(NAMESPACE, "web").await.unwrap().unwrap();
    let patch = sync_patch(&before, None, "promo", Initiator::Controller);
    let after = applications.patch(&before, &patch).await.unwrap();
    assert_eq!(after.operation.as_ref().unwrap().promotion(), Some("promo"));
    assert!(after.status.operation_state.is_none());
    assert_eq!(after.object["status"]["summary"]["images"], json!(["kept"]));
    let stale = applications.patch(&before, &patch).await;
    assert!(matches!(stale, Err(Error::Conflict { .. })), "{stale:?}");
    applications.record_sync(&after, "kargo-controller initiated sync to main".to_owned());
    let events: Api<Event> = Api::namespaced(engine.admin_client(), NAMESPACE);
    let event = loop {
        let events = events.list(&ListParams::default()).await.unwrap();
        if let Some(event) = events.items.into_iter().next() {
            break event;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(event.reason.as_deref(), Some("OperationStarted"));
    assert_eq!(event.involved_object.name.as_deref(), Some("web"));
}

#[tokio::test]
async fn applications_are_found_by_name_and_by_label() {
    let engine = Engine::builder().objects(kind_and_namespace()).start().await.unwrap();
    create(&engine, "web", "front").await;
    create(&engine, "shop", "front").await;
    create(&engine, "db", "back").await;
    let applications = Applications::new(engine.admin_client(), NAMESPACE, &ports(&engine));
    let front = applications.list(NAMESPACE, "tier in (front)").await.unwrap();
    let names: Vec<_> = front.iter().map(|found| found.metadata.name.as_str()).collect();
    assert_eq!(names, ["shop", "web"]);
    assert!(applications.get(NAMESPACE, "nope").await.unwrap().is_none());
}

#[tokio::test]
async fn a_cluster_without_the_kind_is_asked_for_a_minute_and_then_told_about() {
    let clock = ManualClock::new(Time::from_seconds(1_700_000_000));
    let engine = Engine::builder().clock(clock.clone()).start().await.unwrap();
    let applications = Applications::new(engine.admin_client(), NAMESPACE, &ports(&engine));
    let listing = applications.list(NAMESPACE, "");
    tokio::pin!(listing);
    let mut seconds = 0;
    let refusal = loop {
        tokio::select! {
            biased;
            answer = &mut listing => break answer.unwrap_err(),
            () = tokio::task::yield_now() => {
                clock.advance(Duration::from_millis(100));
                seconds += 1;
                assert!(seconds < 10_000, "still asking");
            }
        }
    };
    assert!(matches!(refusal, Error::NotServed), "{refusal:?}");
    assert!(refusal.to_string().contains("install Argo CD"));
}

/// Lets others work until something is so.
async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    for _ in 0..100_000 {
        if is_so().await {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("never: {what}");
}

fn web() -> ApplicationName {
    ApplicationName { namespace: NAMESPACE.to_owned(), name: "web".to_owned() }
}

fn health_of(watched: &Watched) -> HealthState {
    watched.health(Some(&json!({"apps": [{"name": "web"}]}))).finding.status
}

async fn patch(engine: &Engine, status: Value) {
    let patch = json!({"status": status});
    let api = api_in(engine, NAMESPACE);
    api.patch("web", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
}

#[tokio::test]
async fn a_watch_shows_each_change_and_asks_for_a_comparison_once() {
    let engine = Engine::builder().objects(kind_and_namespace()).start().await.unwrap();
    let applications = Applications::new(engine.admin_client(), NAMESPACE, &ports(&engine));
    let watched = applications.watch();
    let seen = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let noted = seen.clone();
    watched.on_change(move |old: Option<&Application>, new: Option<&Application>| {
        let health = |it: Option<&Application>| it.map(|it| it.status.health.status.clone());
        noted.lock().push((health(old), health(new)));
    });
    watched.settled().await;
    assert!(watched.is_serving());
    assert_eq!(watched.get(&web()), Ok(None));
    create(&engine, "web", "front").await;
    until("it is there", async || watched.get(&web()).is_ok_and(|found| found.is_some())).await;
    let found = watched.list().remove(0);
    assert_eq!((found.name(), &found.object), (web(), &Value::Null), "only what is needed");
    let state = json!({"phase": "Succeeded", "finishedAt": "2026-01-01T00:00:02Z"});
    patch(&engine, json!({"health": {"status": "Healthy"}, "operationState": state})).await;
    until("it is stale", async || health_of(&watched) == HealthState::Unknown).await;
    let report = watched.health(Some(&json!({"apps": [{"name": "web"}]})));
    assert_eq!(report.refresh, [web()]);
    watched.refresh(&report.refresh);
    until("it is asked", async || {
        watched.health(Some(&json!({"apps": [{"name": "web"}]}))).refresh.is_empty()
    })
    .await;
    patch(&engine, json!({"reconciledAt": "2026-01-01T00:00:02Z"})).await;
    until("it is trusted", async || health_of(&watched) == HealthState::Healthy).await;
    api_in(&engine, NAMESPACE).delete("web", &DeleteParams::default()).await.unwrap();
    until("it is gone", async || watched.list().is_empty()).await;
    let healthy = || Some("Healthy".to_owned());
    let seen = seen.lock();
    assert_eq!(seen.first(), Some(&(None, Some(String::new()))));
    assert_eq!(seen.get(1), Some(&(Some(String::new()), healthy())));
    assert_eq!(seen.last(), Some(&(healthy(), None)));
}

#[tokio::test]
async fn one_namespace_is_watched_if_told_so() {
    let other = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}});
    let mut objects = kind_and_namespace();
    objects.push(other);
    let engine = Engine::builder().objects(objects).start().await.unwrap();
    create(&engine, "web", "front").await;
    create_in(&engine, "other", "web", "front").await;
    let applications = Applications::new(engine.admin_client(), NAMESPACE, &ports(&engine));
    let (all, some) = (applications.watch(), applications.in_default_namespace_only().watch());
    all.settled().await;
    some.settled().await;
    assert_eq!((all.list().len(), some.list().len()), (2, 1));
}

#[tokio::test]
async fn without_argo_cd_the_integration_is_off_until_it_is_installed() {
    let clock = ManualClock::new(Time::from_seconds(1_700_000_000));
    let engine = Engine::builder().clock(clock.clone()).start().await.unwrap();
    let applications = Applications::new(engine.admin_client(), NAMESPACE, &ports(&engine));
    let watched = applications.watch();
    watched.settled().await;
    assert!(!watched.is_serving());
    let report = watched.health(Some(&json!({"apps": [{"name": "web"}]})));
    assert_eq!((report.finding.issues.len(), report.finding.output), (1, None));
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
    ));
    let kinds: Api<DynamicObject> = Api::all_with(engine.admin_client(), &kind);
    let definition = serde_json::from_value(kind_and_namespace().remove(0)).unwrap();
    kinds.create(&PostParams::default(), &definition).await.unwrap();
    until("Argo CD is found", async || {
        clock.advance(Duration::from_secs(1));
        watched.is_serving()
    })
    .await;
    watched.settled().await;
    assert_eq!(watched.get(&web()), Ok(None));
    assert_eq!(health_of(&watched), HealthState::Unknown);
}
