//! Who may do what.

use core_rules::admission::Operation;
use serde_json::json;

use super::world::{API, World, freight, promotion, request, stage, user, warehouse};
use crate::Request;

async fn scene() -> (World, String) {
    let world = World::start().await;
    world.write(API, warehouse()).await.unwrap();
    world.write(API, stage("test", json!({"direct": true}))).await.unwrap();
    let piece = world.write(API, freight("1")).await.unwrap().object;
    let name = piece["metadata"]["name"].as_str().unwrap().to_owned();
    (world, name)
}

#[tokio::test]
async fn promotions_need_the_promote_permission() {
    let (world, name) = scene().await;
    let refusal = world.write("mallory", promotion("test", &name)).await.err().unwrap();
    assert_eq!(refusal.code(), 403);
    assert!(
        refusal.message.ends_with(
            r#"subject "mallory" is not permitted to create Promotions for Stage "test""#
        )
    );
    let made = world.write("alice", promotion("test", &name)).await.unwrap().object;
    assert_eq!(world.delete("mallory", &made).await.unwrap_err().code(), 403);
    world.delete("alice", &made).await.unwrap();
    let mut aborted = made.clone();
    aborted["metadata"]["annotations"]["kargo.akuity.io/abort"] = json!("terminate");
    aborted["metadata"]["annotations"]["kargo.akuity.io/create-actor"] = json!("email:forged");
    assert_eq!(world.update("mallory", "", &made, aborted.clone()).await.unwrap_err().code(), 403);
    let kept = world.update("alice", "", &made, aborted).await.unwrap();
    assert_eq!(
        kept["metadata"]["annotations"]["kargo.akuity.io/abort"],
        r#"{"action":"terminate","actor":"kubernetes:alice"}"#
    );
    assert_eq!(kept["metadata"]["annotations"]["kargo.akuity.io/create-actor"], "kubernetes:alice");
}

#[tokio::test]
async fn nobody_answers_for_others_past_the_api_server() {
    const RESPONSES: &str = "kargo.akuity.io/responses";
    let (world, name) = scene().await;
    let mut sent = promotion("test", &name);
    sent["metadata"]["annotations"] = json!({RESPONSES: "forged"});
    let made = world.write("alice", sent).await.unwrap().object;
    assert!(made["metadata"]["annotations"].get(RESPONSES).is_none(), "{made}");
    let mut answered = made.clone();
    answered["metadata"]["annotations"][RESPONSES] = json!("{}");
    let kept = world.update("alice", "", &made, answered.clone()).await.unwrap();
    assert!(kept["metadata"]["annotations"].get(RESPONSES).is_none(), "{kept}");
    let kept = world.update(API, "", &made, answered.clone()).await.unwrap();
    assert_eq!(kept["metadata"]["annotations"][RESPONSES], "{}");
    let kept = world.update("alice", "", &answered, made).await.unwrap();
    assert_eq!(kept["metadata"]["annotations"][RESPONSES], "{}");
}

#[tokio::test]
async fn approvals_need_the_promote_permission_too() {
    let (world, name) = scene().await;
    let api: kube::Api<api_kinds::Freight> = kube::Api::namespaced(world.client.clone(), "demo");
    let old = serde_json::to_value(api.get(&name).await.unwrap()).unwrap();
    let mut approved = old.clone();
    approved["status"]["approvedFor"] = json!({"test": {"approvedAt": "2026-01-02T03:04:05Z"}});
    let refusal = world.update("mallory", "status", &old, approved.clone()).await.unwrap_err();
    assert!(refusal.message.contains("is not permitted to approve Freight"), "{refusal}");
    world.update("alice", "status", &old, approved).await.unwrap();
    assert_eq!(world.events().await[0].reason.as_deref(), Some("FreightApproved"));
}

#[tokio::test]
async fn so_does_what_stands_for_an_approval() {
    let (world, name) = scene().await;
    let api: kube::Api<api_kinds::Freight> = kube::Api::namespaced(world.client.clone(), "demo");
    let old = serde_json::to_value(api.get(&name).await.unwrap()).unwrap();
    let mut verified = old.clone();
    verified["status"]["verifiedIn"] = json!({"test": {"verifiedAt": "2026-01-02T03:04:05Z"}});
    let refusal = world.update("mallory", "status", &old, verified.clone()).await.unwrap_err();
    assert!(refusal.message.contains("is not permitted to say where Freight"), "{refusal}");
    world.update(API, "status", &old, verified).await.unwrap();
}

#[tokio::test]
async fn a_controller_writes_only_its_own_shard() {
    let (world, _) = scene().await;
    world
        .store(json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "controller-eu", "namespace": "kargo",
            "labels": {"app.kubernetes.io/component": "controller", "kargo.akuity.io/shard": "eu"}}}))
        .await;
    let controller = "system:serviceaccount:kargo:controller-eu";
    let of_shard = |shard: &str| {
        let mut stage = stage("x", json!({"direct": true}));
        stage["metadata"]["labels"] = json!({"kargo.akuity.io/shard": shard});
        stage
    };
    let verdict = async |who: &str, shard: &str| {
        let (user, stage) = (user(who), of_shard(shard));
        let asked = request(&user, Operation::Update, Some(&stage), Some(&stage));
        world.admitter.validate(&Request { subresource: "status", ..asked }).await
    };
    verdict(controller, "eu").await.unwrap();
    let refusal = verdict(controller, "us").await.unwrap_err();
    assert_eq!(refusal.code(), 403);
    assert!(refusal.message.contains(r#"may not write stages of shard "us""#), "{refusal}");
    verdict("alice", "us").await.unwrap();
}

#[tokio::test]
async fn replicas_belong_to_the_management_controller() {
    let world = World::start().await;
    let replica = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "demo",
        "labels": {"kargo.akuity.io/replicated-from": "s"}}});
    let alice = user("alice");
    let asked = request(&alice, Operation::Create, Some(&replica), None);
    assert_eq!(world.admitter.validate(&asked).await.unwrap_err().code(), 403);
    let elsewhere = Request { namespace: "default", ..asked };
    assert!(world.admitter.validate(&elsewhere).await.is_ok());
}
