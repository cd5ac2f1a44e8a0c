//! Applications on the embedded engine.
#![allow(clippy::unwrap_used, reason = "tests say what is wrong by failing")]

use core_clock::{ManualClock, Time};
use core_rules::argo_cd::{Initiator, sync_patch};
use dev_testkit::engine::Engine;
use io_argo::{Applications, Error};
use io_kube::Ports;
use k8s_openapi::api::core::v1::Event;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, PostParams},
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

async fn create(engine: &Engine, name: &str, tier: &str) {
    let kind =
        ApiResource::from_gvk(&GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application"));
    let api: Api<DynamicObject> = Api::namespaced_with(engine.admin_client(), NAMESPACE, &kind);
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": name, "labels": {"tier": tier}},
        "spec": {"source": {"repoURL": "https://git.example/repo", "targetRevision": "main"}, "project": "default"},
        "status": {"operationState": {"phase": "Succeeded"}, "summary": {"images": ["kept"]}},
    });
    let object = serde_json::from_value(object).unwrap();
    api.create(&PostParams::default(), &object).await.unwrap();
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
                clock.advance(std::time::Duration::from_millis(100));
                seconds += 1;
                assert!(seconds < 10_000, "still asking");
            }
        }
    };
    assert!(matches!(refusal, Error::NotServed), "{refusal:?}");
    assert!(refusal.to_string().contains("install Argo CD"));
}
