//! Steps that change the control plane, and what expressions read from it, on the embedded engine.

use std::sync::Arc;

use api_kinds::{Freight, Promotion, Stage, promotion::PromotionStepStatus as Status};
use core_expr::{Answer, Request};
use dev_testkit::engine::Engine;
use kube::Api;
use serde_json::{Value, json};
use work_steps::{
    Class, Cluster, ClusterSettings, ControlPlane, Effects, GitIdentity, testbed::Testbed,
};

const PROJECT: &str = "demo";

fn objects() -> Vec<Value> {
    let metadata = |name: &str| json!({"name": name, "namespace": PROJECT});
    vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": PROJECT}}),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shared"}}),
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "system"}}),
        json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Stage", "metadata": metadata("dev"),
            "spec": {"requestedFreight": [{"origin": {"kind": "Warehouse", "name": "w"}, "sources": {"direct": true}}]},
        }),
        json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Freight", "metadata": metadata("f1"),
            "alias": "quick-fox", "origin": {"kind": "Warehouse", "name": "w"},
            "images": [{"repoURL": "nginx", "tag": "1"}],
        }),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata("settings"), "data": {"a": "1"}}),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token", "namespace": "shared"}, "data": {"key": "aHVudGVyMg=="}}),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "signer", "namespace": "system"}, "data": {"signingKey": "a2V5"}}),
    ]
}

fn identity() -> GitIdentity {
    GitIdentity { name: "Kargo".into(), email: "no-reply@kargo.io".into(), signing_key: None }
}

fn cluster(engine: &Engine, shared_namespace: Option<&str>) -> Arc<Cluster> {
    let settings = ClusterSettings {
        shared_namespace: shared_namespace.map(Into::into),
        system_namespace: "system".into(),
        git_identity: identity(),
    };
    Arc::new(Cluster::new(engine.admin_client(), settings, engine.clock()))
}

async fn world() -> (Engine, Testbed) {
    let engine = Engine::builder().objects(objects()).start().await.unwrap();
    let mut testbed = Testbed::new().await;
    testbed.ports.control_plane = cluster(&engine, Some("shared"));
    (engine, testbed)
}

#[tokio::test]
async fn metadata_is_set_key_by_key_and_a_null_removes_one() {
    let (engine, testbed) = world().await;
    let set = |values: Value| {
        json!({"updates": [
            {"kind": "Stage", "name": "dev", "values": values}, {"kind": "Freight", "name": "f1", "values": values},
        ]})
    };
    for values in [json!({"a": 1, "b": {"c": [true]}}), json!({"a": null, "d": "x"})] {
        let attempt = testbed.run("set-metadata", set(values)).await;
        assert_eq!(attempt.status, Status::Succeeded, "{}", attempt.message);
        assert_eq!(attempt.output, None);
    }
    let stage = Api::<Stage>::namespaced(engine.admin_client(), PROJECT).get("dev").await.unwrap();
    let freight =
        Api::<Freight>::namespaced(engine.admin_client(), PROJECT).get("f1").await.unwrap();
    let expected = json!({"b": {"c": [true]}, "d": "x"});
    assert_eq!(json!(stage.status.metadata), expected);
    assert_eq!(json!(freight.status.metadata), expected);
}

#[tokio::test]
async fn metadata_of_nothing_and_without_a_key_is_refused_before_anything_is_written() {
    let (engine, testbed) = world().await;
    let good = json!({"kind": "Stage", "name": "dev", "values": {"a": 1}});
    let bad_key = json!({"kind": "Stage", "name": "dev", "values": {"": 1}});
    let attempt = testbed.run("set-metadata", json!({"updates": [good, bad_key]})).await;
    assert_eq!(attempt.class, Some(Class::Retryable));
    assert!(attempt.message.contains("empty key"), "{}", attempt.message);
    let stage = Api::<Stage>::namespaced(engine.admin_client(), PROJECT).get("dev").await.unwrap();
    assert!(stage.status.metadata.is_empty());
    let missing = json!({"updates": [{"kind": "Freight", "name": "nope", "values": {"a": 1}}]});
    let attempt = testbed.run("set-metadata", missing).await;
    assert!(
        attempt.message.contains(r#"there is no Freight "nope" in Project "demo""#),
        "{}",
        attempt.message
    );
    let wrong = json!({"updates": [{"kind": "Warehouse", "name": "w", "values": {"a": 1}}]});
    assert_eq!(testbed.run("set-metadata", wrong).await.class, Some(Class::Failed));
}

#[tokio::test]
async fn an_alias_is_given_in_label_and_field_and_the_step_can_be_repeated() {
    let (engine, testbed) = world().await;
    for former in ["quick-fox", "calm-cat"] {
        let attempt =
            testbed.run("set-freight-alias", json!({"name": "f1", "alias": "calm-cat"})).await;
        assert_eq!(attempt.status, Status::Succeeded, "{}", attempt.message);
        assert_eq!(
            attempt.message,
            format!(r#"alias of Freight "f1" changed from "{former}" to "calm-cat""#)
        );
    }
    let freight =
        Api::<Freight>::namespaced(engine.admin_client(), PROJECT).get("f1").await.unwrap();
    assert_eq!(freight.alias, "calm-cat");
    assert_eq!(freight.metadata.labels.unwrap()["kargo.akuity.io/alias"], "calm-cat");
    let missing = testbed.run("set-freight-alias", json!({"name": "nope", "alias": "x"})).await;
    assert_eq!(missing.class, Some(Class::Failed));
}

#[tokio::test]
async fn a_preview_changes_nothing() {
    let (engine, mut testbed) = world().await;
    testbed.effects = Effects::recorded();
    testbed.run("set-freight-alias", json!({"name": "f1", "alias": "calm-cat"})).await;
    let values = json!({"updates": [{"kind": "Stage", "name": "dev", "values": {"a": 1}}]});
    testbed.run("set-metadata", values).await;
    let freight =
        Api::<Freight>::namespaced(engine.admin_client(), PROJECT).get("f1").await.unwrap();
    assert_eq!(freight.alias, "quick-fox");
    let actions: Vec<_> = testbed.effects.list().iter().map(|effect| effect.action).collect();
    assert_eq!(actions, ["set alias", "set metadata"]);
}

#[tokio::test]
async fn answers_are_read_from_the_promotion_as_it_is_now() {
    let (engine, testbed) = world().await;
    let promotion = |responses: &str| {
        json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion",
            "metadata": {"name": testbed.subject.promotion, "namespace": PROJECT,
                "annotations": {"kargo.akuity.io/responses": responses}},
            "spec": {"stage": "dev", "freight": "f1", "steps": [{"uses": "wait-for-approval"}]},
        })
    };
    let api: Api<Promotion> = Api::namespaced(engine.admin_client(), PROJECT);
    let object = serde_json::from_value(promotion("{}")).unwrap();
    api.create(&kube::api::PostParams::default(), &object).await.unwrap();
    let waiting = testbed.run("wait-for-approval", json!({})).await;
    assert_eq!(waiting.status, Status::Running, "{}", waiting.message);
    let given =
        json!({"step-1": [{"user": "a", "action": "approve", "time": "2026-01-02T03:04:05Z"}]});
    let patch = kube::api::Patch::Merge(promotion(&given.to_string()));
    api.patch(&testbed.subject.promotion, &kube::api::PatchParams::default(), &patch)
        .await
        .unwrap();
    let done = testbed.run("wait-for-approval", json!({})).await;
    assert_eq!(done.status, Status::Succeeded, "{}", done.message);
}

#[tokio::test]
async fn expressions_get_what_they_ask_for_or_that_it_is_missing() {
    let (engine, _) = world().await;
    let cluster = cluster(&engine, Some("shared"));
    let ask = async |request: Request| cluster.answer(PROJECT, &request).await.unwrap();
    let Answer::ConfigMap(Some(data)) = ask(Request::ConfigMap("settings".into())).await else {
        panic!()
    };
    assert_eq!(data["a"], "1");
    let Answer::Secret { data, .. } = ask(Request::SharedSecret("token".into())).await else {
        panic!()
    };
    assert_eq!(data["key"], b"hunter2");
    assert!(matches!(ask(Request::Freight("f1".into())).await, Answer::Status(_)));
    assert!(matches!(ask(Request::Stage("nope".into())).await, Answer::Missing));
    assert!(matches!(ask(Request::Warehouse("nope".into())).await, Answer::Missing));
    let unshared = self::cluster(&engine, None);
    let refusal =
        unshared.answer(PROJECT, &Request::SharedSecret("token".into())).await.unwrap_err();
    assert!(refusal.to_string().contains("SHARED_RESOURCES_NAMESPACE"));
}

#[tokio::test]
async fn the_cluster_config_says_who_commits_and_with_which_key() {
    let (engine, _) = world().await;
    let cluster = cluster(&engine, None);
    assert_eq!(cluster.git_identity().await.unwrap(), identity());
    let config = |secret: &str| {
        json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "ClusterConfig", "metadata": {"name": "cluster"},
            "spec": {"gitClient": {"name": "Robot", "email": "r@example.com", "signingKeySecret": {"name": secret}}},
        })
    };
    let api: Api<api_kinds::ClusterConfig> = Api::all(engine.admin_client());
    let object = serde_json::from_value(config("signer")).unwrap();
    api.create(&kube::api::PostParams::default(), &object).await.unwrap();
    let found = cluster.git_identity().await.unwrap();
    assert_eq!((found.name.as_str(), found.signing_key.unwrap().expose()), ("Robot", "key"));
    let patch = kube::api::Patch::Merge(config("nope"));
    api.patch("cluster", &kube::api::PatchParams::default(), &patch).await.unwrap();
    let refusal = cluster.git_identity().await.unwrap_err().to_string();
    assert!(refusal.contains("Secret system/nope"), "{refusal}");
}
