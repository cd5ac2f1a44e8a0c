//! Stages whose health is that of Argo CD's Applications.

use kube::{
    Api,
    api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

use api_kinds::{annotations, health::HealthState, promotion::PromotionPhase};

use crate::{
    pipeline::Pipeline,
    scene::{direct, one_step},
};

fn applications(pipeline: &Pipeline) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
    let resource = ApiResource::from_gvk_with_plural(&kind, "applications");
    Api::namespaced_with(pipeline.world.client.clone(), "demo", &resource)
}

async fn add_application(pipeline: &Pipeline, status: Value) {
    let application: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {
            "name": "app", "namespace": "demo",
            "annotations": {annotations::AUTHORIZED_STAGE: "demo:dev"},
        },
        "spec": {"source": {"repoURL": "https://git.example.com/app.git"}},
        "status": status,
    }))
    .unwrap();
    applications(pipeline).create(&PostParams::default(), &application).await.unwrap();
}

async fn set_health(pipeline: &Pipeline, health: &str) {
    let patch = Patch::Merge(json!({"status": {"health": {"status": health}}}));
    applications(pipeline).patch("app", &PatchParams::default(), &patch).await.unwrap();
}

#[tokio::test]
async fn a_stage_is_as_healthy_as_its_applications_and_verified_when_they_are() {
    let pipeline = Pipeline::flowing(&[]).await;
    add_application(&pipeline, json!({"health": {"status": "Progressing"}})).await;
    let check = json!({
        "uses": "argocd-update",
        "config": {"apps": [{"name": "app", "namespace": "demo", "desiredRevisions": [""]}]},
    });
    let steps = one_step(json!({"do": "check", "check": check}));
    pipeline.stage_for("dev", json!([direct("w")]), steps).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
    pipeline.has_condition("dev", "Healthy", "Unknown Progressing").await;
    assert!(!pipeline.marks(&pipeline.freight, "dev").await.1);

    set_health(&pipeline, "Healthy").await;
    pipeline.verified(&pipeline.freight, "dev").await;
    pipeline.has_condition("dev", "Healthy", "True Healthy").await;
    let stage = pipeline.get_stage("dev").await;
    let output = stage.status.health.unwrap().output.unwrap();
    assert_eq!(output[0]["applicationStatuses"][0]["Name"], "app");
    let context = &stage.metadata.annotations.unwrap()[annotations::ARGOCD_CONTEXT];
    assert_eq!(context, r#"[{"name":"app","namespace":"demo"}]"#);

    set_health(&pipeline, "Degraded").await;
    pipeline
        .stage_is("dev", "it is unhealthy", |stage| {
            let health = stage.status.health.as_ref();
            health.is_some_and(|health| health.status == HealthState::Unhealthy)
        })
        .await;
    assert_eq!(pipeline.marks(&pipeline.freight, "dev").await, (true, true), "it stays verified");
}

#[tokio::test]
async fn a_step_that_waits_for_an_application_is_looked_at_when_that_changes() {
    let pipeline = Pipeline::start(&[]).await;
    add_application(&pipeline, json!({"health": {"status": "Progressing"}})).await;
    let apps = json!([{"name": "app", "namespace": "demo"}]);
    let config = json!({"do": "wait", "key": "k", "apps": apps});
    pipeline.stage("dev", json!([{"uses": "argocd-wait", "as": "wait", "config": config}])).await;
    let name = pipeline.promote("dev", &pipeline.freight).await;
    pipeline.begun("k").await;
    pipeline.in_phase(&name, PromotionPhase::Running).await;
    set_health(&pipeline, "Degraded").await;
    pipeline.world.until("a look", || async { pipeline.attempts("k") == 2 }).await;
    pipeline.world.script.release("k");
    set_health(&pipeline, "Healthy").await;
    pipeline.ended(&name, PromotionPhase::Succeeded).await;
    assert_eq!(pipeline.attempts("k"), 3);
}
