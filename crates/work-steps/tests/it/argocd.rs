//! `argocd-update` and `argocd-wait` on Applications of the embedded engine.

use api_kinds::promotion::PromotionStepStatus as Status;
use dev_testkit::engine::Engine;
use io_argo::Applications;
use io_kube::Ports;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use work_steps::{Class, Effects, testbed::Testbed};

const NAMESPACE: &str = "argocd";

struct World {
    testbed: Testbed,
    api: Api<DynamicObject>,
    // Keeps the engine alive.
    _engine: Engine,
}

impl World {
    async fn new() -> Self {
        let engine = Engine::builder().objects(kind_and_namespace()).start().await.unwrap();
        let ports =
            Ports { clock: engine.clock(), entropy: engine.entropy(), tasks: engine.tasks() };
        let mut testbed = Testbed::new().await;
        testbed.ports.applications =
            Some(Applications::new(engine.admin_client(), NAMESPACE, &ports));
        let kind =
            ApiResource::from_gvk(&GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application"));
        let api = Api::namespaced_with(engine.admin_client(), NAMESPACE, &kind);
        Self { testbed, api, _engine: engine }
    }

    /// An Application that Stage `dev` of Project `demo` may change, unless `stages` says otherwise.
    async fn create(&self, name: &str, stages: Option<&str>) {
        let annotations = stages.map(|stages| json!({"kargo.akuity.io/authorized-stage": stages}));
        let object = json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": name, "labels": {"tier": "front"}, "annotations": annotations},
            "spec": {"source": {"repoURL": "https://git.example/repo.git", "path": ".", "targetRevision": "main"}},
        });
        let object = serde_json::from_value(object).unwrap();
        self.api.create(&PostParams::default(), &object).await.unwrap();
    }

    async fn get(&self, name: &str) -> Value {
        serde_json::to_value(self.api.get(name).await.unwrap()).unwrap()
    }

    async fn patch(&self, name: &str, patch: Value) {
        self.api.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    }

    /// What Argo CD does with a request.
    async fn finish_operation(&self, name: &str, phase: &str, revision: &str, at: &str) {
        let operation = self.get(name).await["operation"].clone();
        let state = json!({
            "operation": operation, "phase": phase, "message": "as it was told",
            "syncResult": {"revision": revision}, "finishedAt": at,
        });
        self.patch(name, json!({"operation": null, "status": {"operationState": state}})).await;
    }
}

fn kind_and_namespace() -> Vec<Value> {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = json!({"name": "v1alpha1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"plural": "applications", "singular": "application", "kind": "Application", "listKind": "ApplicationList"});
    vec![
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "applications.argoproj.io"},
            "spec": {"group": "argoproj.io", "scope": "Namespaced", "names": names, "versions": [version]},
        }),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}),
    ]
}

fn update(name: &str) -> Value {
    let source = json!({
        "repoURL": "https://git.example/repo", "desiredRevision": "abc", "updateTargetRevision": true,
    });
    json!({"apps": [{"name": name, "sources": [source]}]})
}

#[tokio::test]
async fn an_update_asks_for_one_sync_and_ends_with_it() {
    let world = World::new().await;
    world.create("web", Some("demo:dev")).await;
    let asked = world.testbed.run("argocd-update", update("web")).await;
    assert_eq!(asked.status, Status::Running, "{}", asked.message);
    assert!(asked.health_check.is_none());
    let object = world.get("web").await;
    assert_eq!(object["spec"]["source"]["targetRevision"], "abc");
    assert_eq!(object["spec"]["source"]["path"], ".");
    let version = object["metadata"]["resourceVersion"].clone();

    let waits = world.testbed.run("argocd-update", update("web")).await;
    assert_eq!(waits.status, Status::Running);
    assert_eq!(world.get("web").await["metadata"]["resourceVersion"], version, "asked twice");

    world.finish_operation("web", "Succeeded", "abc", "2026-01-01T00:00:00Z").await;
    let done = world.testbed.run("argocd-update", update("web")).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    let app = json!({"name": "web", "namespace": NAMESPACE});
    assert_eq!(done.output()["apps"], json!([app]));
    let check = done.health_check.unwrap();
    assert_eq!(check.kind, "argocd-update");
    assert_eq!(
        check.input,
        json!({"apps": [{"name": "web", "namespace": NAMESPACE, "desiredRevisions": ["abc"]}]})
    );
}

#[tokio::test]
async fn a_sync_to_another_revision_is_not_ours_to_count() {
    let world = World::new().await;
    world.create("web", Some("demo:dev")).await;
    world.testbed.run("argocd-update", update("web")).await;
    world.finish_operation("web", "Succeeded", "old", "2026-01-01T00:00:00Z").await;
    let again = world.testbed.run("argocd-update", update("web")).await;
    assert_eq!(again.status, Status::Running);
    assert!(world.get("web").await["operation"].is_object());
}

#[tokio::test]
async fn a_failed_sync_is_told_with_its_reason_and_asked_for_again_by_a_retry() {
    let world = World::new().await;
    world.create("web", Some("demo:dev")).await;
    world.testbed.run("argocd-update", update("web")).await;
    world.finish_operation("web", "Failed", "abc", "2026-01-01T00:00:00Z").await;
    let failed = world.testbed.run("argocd-update", update("web")).await;
    assert_eq!(failed.class, Some(Class::Retryable));
    assert!(
        failed.message.contains(r#"syncing Application "argocd/web" failed: as it was told"#),
        "{}",
        failed.message
    );
    let again = world.testbed.run("argocd-update", update("web")).await;
    assert_eq!(again.status, Status::Running, "{}", again.message);
    assert!(world.get("web").await["operation"].is_object());
}

#[tokio::test]
async fn an_application_that_does_not_name_the_stage_is_not_touched() {
    let world = World::new().await;
    world.create("web", None).await;
    let refused = world.testbed.run("argocd-update", update("web")).await;
    assert_eq!(refused.class, Some(Class::Retryable));
    assert!(
        refused.message.contains("kargo.akuity.io/authorized-stage: demo:dev"),
        "{}",
        refused.message
    );
    assert!(world.get("web").await.get("operation").is_none());
    let missing = world.testbed.run("argocd-update", update("nope")).await;
    assert!(
        missing.message.contains(r#"there is no Application "nope" in namespace "argocd""#),
        "{}",
        missing.message
    );
}

#[tokio::test]
async fn a_selector_takes_those_that_permit_it_and_nothing_is_touched_unless_all_fits() {
    let mut world = World::new().await;
    world.create("web", Some("demo:dev")).await;
    world.create("shop", Some("demo:dev")).await;
    world.create("alien", Some("other:dev")).await;
    let by_label = |source: Value| json!({"apps": [{"selector": {"matchLabels": {"tier": "front"}}, "sources": [source]}]});
    let misfit = world
        .testbed
        .run("argocd-update", by_label(json!({"repoURL": "https://git.example/x"})))
        .await;
    assert!(
        misfit
            .message
            .contains("the sources of 2 of 2 Applications cannot be updated, so none was"),
        "{}",
        misfit.message
    );
    assert!(world.get("web").await.get("operation").is_none());
    let fits = world
        .testbed
        .run("argocd-update", by_label(json!({"repoURL": "https://git.example/repo"})))
        .await;
    assert_eq!(fits.status, Status::Running, "{}", fits.message);
    assert!(
        world.get("web").await["operation"].is_object()
            && world.get("shop").await["operation"].is_object()
    );
    assert!(world.get("alien").await.get("operation").is_none());
    world.testbed.subject.stage = "prod".to_owned();
    let none = world
        .testbed
        .run("argocd-update", by_label(json!({"repoURL": "https://git.example/repo"})))
        .await;
    assert!(none.message.contains(r#"permits changes by Stage "prod""#), "{}", none.message);
    let empty = json!({"apps": [{"selector": {"matchLabels": {"tier": "none"}}}]});
    let nothing = world.testbed.run("argocd-update", empty).await;
    assert!(nothing.message.contains(r#"matches the selector "tier=none""#), "{}", nothing.message);
}

#[tokio::test]
async fn a_preview_touches_nothing_and_says_what_it_would_do() {
    let mut world = World::new().await;
    world.create("web", Some("demo:dev")).await;
    world.testbed.effects = Effects::recorded();
    let previewed = world.testbed.run("argocd-update", update("web")).await;
    assert_eq!(previewed.status, Status::Succeeded, "{}", previewed.message);
    assert!(world.get("web").await.get("operation").is_none());
    let effects = world.testbed.effects.list();
    assert_eq!((effects[0].action, effects[0].target.as_str()), ("sync", "Application argocd/web"));
}

#[tokio::test]
async fn waiting_ends_when_all_holds_and_gives_up_when_health_turns_bad() {
    let world = World::new().await;
    world.create("web", None).await;
    let wait = json!({"apps": [{"name": "web"}]});
    let status = |health: &str, sync: &str| json!({"status": {"health": {"status": health}, "sync": {"status": sync}}});
    world.patch("web", status("Degraded", "Synced")).await;
    let first = world.testbed.run("argocd-wait", wait.clone()).await;
    assert_eq!(first.status, Status::Running, "bad from the start: {}", first.message);
    assert_eq!(first.output()["healthStatus"], json!({"argocd/web": "Degraded"}));
    world.patch("web", status("Healthy", "OutOfSync")).await;
    assert_eq!(world.testbed.run("argocd-wait", wait.clone()).await.status, Status::Running);
    world.patch("web", status("Degraded", "OutOfSync")).await;
    let worse = world.testbed.run("argocd-wait", wait.clone()).await;
    assert_eq!(worse.class, Some(Class::Fatal));
    assert!(worse.message.contains("went from Healthy to Degraded"), "{}", worse.message);
    world.patch("web", status("Healthy", "Synced")).await;
    let done = world.testbed.run("argocd-wait", wait).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
    assert!(done.health_check.is_none());
}

#[tokio::test]
async fn stale_health_is_refreshed_and_waited_for() {
    let world = World::new().await;
    world.create("web", None).await;
    world.patch("web", json!({"status": {
        "health": {"status": "Healthy"}, "sync": {"status": "Synced"},
        "operationState": {"finishedAt": "2026-01-01T00:00:01Z"}, "reconciledAt": "2026-01-01T00:00:00Z",
    }})).await;
    let stale = world.testbed.run("argocd-wait", json!({"apps": [{"name": "web"}]})).await;
    assert_eq!(stale.status, Status::Running);
    let annotations = &world.get("web").await["metadata"]["annotations"];
    assert_eq!(annotations["argocd.argoproj.io/refresh"], "hard");
}

#[tokio::test]
async fn without_the_integration_the_step_says_how_to_turn_it_on() {
    let mut testbed = Testbed::new().await;
    let off = testbed.run("argocd-wait", json!({"apps": [{"name": "web"}]})).await;
    assert_eq!(off.class, Some(Class::Retryable));
    assert!(off.message.contains("ARGOCD_INTEGRATION_ENABLED=true"), "{}", off.message);
    testbed.effects = Effects::recorded();
    let foretold = testbed.run("argocd-update", update("web")).await;
    assert_eq!(foretold.status, Status::Succeeded, "{}", foretold.message);
    assert_eq!(testbed.effects.list()[0].target, "Application web");
}
