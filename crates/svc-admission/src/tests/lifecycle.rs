//! From Project to Promotion.

use api_kinds::Stage;
use core_rules::admission::Operation;
use k8s_openapi::api::{core::v1::Namespace, rbac::v1::RoleBinding};
use kube::Api;
use serde_json::json;

use super::world::{
    API, World, freight, object, project, promotion, request, stage, user, warehouse,
};
use crate::Request;

#[tokio::test]
async fn a_project_finds_its_namespace_ready_however_often_it_is_tried() {
    let world = World::bare().await;
    let (alice, demo) = (user("alice"), project("demo"));
    let real = request(&alice, Operation::Create, Some(&demo), None);
    world.admitter.validate(&Request { dry_run: true, ..real }).await.unwrap();
    let namespaces: Api<Namespace> = Api::all(world.client.clone());
    assert!(namespaces.get_opt("demo").await.unwrap().is_none());
    world.admitter.validate(&real).await.unwrap();
    world.admitter.validate(&real).await.unwrap();
    let namespace = namespaces.get("demo").await.unwrap();
    assert_eq!(namespace.metadata.labels.unwrap()["kargo.akuity.io/project"], "true");
    assert_eq!(namespace.metadata.finalizers.unwrap(), ["kargo.akuity.io/finalizer"]);
    let binding: RoleBinding = world.get("demo", "kargo-project-admin").await.unwrap();
    let subjects: Vec<String> = binding.subjects.unwrap().into_iter().map(|one| one.name).collect();
    assert_eq!(subjects, ["kargo-api", "kargo-admin"]);
    let default = project("default");
    let foreign = request(&alice, Operation::Create, Some(&default), None);
    assert_eq!(world.admitter.validate(&foreign).await.unwrap_err().code(), 409);
}

#[tokio::test]
async fn a_person_promotes_and_everybody_hears_of_it() {
    let world = World::start().await;
    let written = world.write("alice", warehouse()).await.unwrap();
    assert_eq!(
        written.object["spec"]["subscriptions"][0]["image"],
        json!({"repoURL": "busybox", "future": true,
        "imageSelectionStrategy": "SemVer", "strictSemvers": true, "discoveryLimit": 20})
    );
    assert_eq!(written.warnings, [r#"unknown field "spec.subscriptions[0].image.future""#]);
    world.write("alice", stage("test", json!({"direct": true}))).await.unwrap();
    let piece = world.write("alice", freight("1")).await.unwrap().object;
    let name = piece["metadata"]["name"].as_str().unwrap();
    assert_eq!(piece["metadata"]["labels"]["kargo.akuity.io/alias"], piece["alias"]);
    let made = world.write("alice", promotion("test", name)).await.unwrap().object;
    assert!(made["metadata"]["name"].as_str().unwrap().starts_with("test."));
    assert_eq!(made["spec"]["steps"][0]["as"], "step-1");
    let stage: Stage = world.get("demo", "test").await.unwrap();
    assert_eq!(made["metadata"]["ownerReferences"][0]["uid"], stage.metadata.uid.unwrap());
    assert_eq!(made["metadata"]["annotations"]["kargo.akuity.io/create-actor"], "kubernetes:alice");
    let event = &world.events().await[0];
    assert_eq!(event.reason.as_deref(), Some("PromotionCreated"));
    assert_eq!(
        event.metadata.annotations.as_ref().unwrap()["event.kargo.akuity.io/freight-name"],
        name
    );
}

#[tokio::test]
async fn aliases_are_unique_in_a_project() {
    let world = World::start().await;
    world.write("alice", warehouse()).await.unwrap();
    let first = world.write("alice", freight("1")).await.unwrap().object;
    let mut second = freight("2");
    second["alias"] = first["alias"].clone();
    let refusal = world.write("alice", second.clone()).await.err().unwrap();
    assert!(
        refusal.message.contains("alias already used by another piece of Freight"),
        "{refusal}"
    );
    second.as_object_mut().unwrap().remove("alias");
    let second = world.write("alice", second).await.unwrap().object;
    assert_ne!(first["alias"], second["alias"]);
    let mut renamed = second.clone();
    renamed["alias"] = first["alias"].clone();
    assert_eq!(world.update("alice", "", &second, renamed).await.unwrap_err().code(), 409);
}

#[tokio::test]
async fn the_gate_and_references_are_looked_up_live() {
    let world = World::start().await;
    let far = world.write("alice", stage("prod", json!({"stages": ["test"]}))).await.unwrap();
    assert_eq!(
        far.warnings,
        [
            r#"spec.requestedFreight[0].origin.name: there is no Warehouse "w""#,
            r#"spec.requestedFreight[0].sources.stages: there is no Stage "test""#,
        ]
    );
    world.write("alice", warehouse()).await.unwrap();
    let circle = world.write("alice", stage("test", json!({"stages": ["prod"]}))).await.unwrap();
    assert_eq!(
        circle.warnings,
        ["spec.requestedFreight: the Stage comes before itself: test → prod → test"]
    );
    let piece = world.write("alice", freight("1")).await.unwrap().object;
    let name = piece["metadata"]["name"].as_str().unwrap();
    let refusal = world.write("alice", promotion("prod", name)).await.err().unwrap();
    assert!(refusal.message.contains("Freight is not available to this Stage"), "{refusal}");
    let verified = json!({"verifiedIn": {"test": {"verifiedAt": "2026-01-02T03:04:05Z"}}});
    world.set_status(&piece, verified).await;
    world.write("alice", promotion("prod", name)).await.unwrap();
    let nowhere = world.write("alice", promotion("gone", name)).await.err().unwrap();
    assert!(nowhere.message.contains(r#"could not find Stage "gone" in namespace "demo""#));
}

#[tokio::test]
async fn freight_in_use_is_kept() {
    let world = World::start().await;
    world.write("alice", warehouse()).await.unwrap();
    let holder = world.write("alice", stage("test", json!({"direct": true}))).await.unwrap().object;
    let piece = world.write("alice", freight("1")).await.unwrap().object;
    let name = piece["metadata"]["name"].as_str().unwrap();
    world.delete("alice", &piece).await.unwrap();
    world.write("alice", promotion("test", name)).await.unwrap();
    let refusal = world.delete("alice", &piece).await.unwrap_err();
    assert!(refusal.message.contains("freight is in-use by promotions"), "{refusal}");
    let held = json!({"freightHistory": [{"id": "c", "items": {"Warehouse/w": {"name": name}}}]});
    world.set_status(&holder, held).await;
    let refusal = world.delete("alice", &piece).await.unwrap_err();
    assert!(refusal.message.ends_with(r#"freight is in-use by stages ("test")"#), "{refusal}");
}

#[tokio::test]
async fn kinds_live_in_projects_only() {
    let world = World::bare().await;
    let refusal = world.write("alice", warehouse()).await.err().unwrap();
    assert_eq!((refusal.code(), refusal.message.as_str()), (404, r#"Namespace "demo" not found"#));
    world
        .store(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "demo"}}))
        .await;
    let refusal = world.write("alice", warehouse()).await.err().unwrap();
    assert!(refusal.message.contains(r#"namespace "demo" is not a project"#), "{refusal}");
    let config = object("ProjectConfig", "demo", json!({"spec": {}}));
    assert_eq!(world.write(API, config).await.err().unwrap().code(), 403);
    let task = object("PromotionTask", "t", json!({"spec": {"steps": [{"uses": "copy"}]}}));
    assert_eq!(world.write(API, task).await.err().unwrap().code(), 422);
}

#[tokio::test]
async fn promoting_something_else_than_the_newest_is_a_hold() {
    let world = World::start().await;
    world.write("alice", warehouse()).await.unwrap();
    let policies = json!([{"stage": "test", "autoPromotionEnabled": true}]);
    let config = object("ProjectConfig", "demo", json!({"spec": {"promotionPolicies": policies}}));
    world.write("alice", config).await.unwrap();
    world.write("alice", stage("test", json!({"direct": true}))).await.unwrap();
    let mut old = freight("1");
    old["discoveredAt"] = json!("2020-01-02T03:04:05Z");
    let old = world.write("alice", old).await.unwrap().object;
    let new = world.write("alice", freight("2")).await.unwrap().object;
    let name =
        |freight: &serde_json::Value| freight["metadata"]["name"].as_str().unwrap().to_owned();
    let held = world.write("alice", promotion("test", &name(&old))).await.unwrap().object;
    let annotations = &held["metadata"]["annotations"];
    assert_eq!(annotations["kargo.akuity.io/auto-promotion-hold"], "Warehouse/w");
    let by_origin = object(
        "Promotion",
        "any",
        json!({"spec": {"stage": "test", "origin": {"kind": "Warehouse", "name": "w"}}}),
    );
    let resumed = world.write("alice", by_origin).await.unwrap().object;
    assert_eq!(resumed["spec"]["freight"], new["metadata"]["name"]);
    let annotations = &resumed["metadata"]["annotations"];
    assert_eq!(annotations["kargo.akuity.io/auto-promotion-resume"], "Warehouse/w");
}

#[tokio::test]
async fn a_request_for_targets_passes_the_same_gate_and_vouches_for_its_promotions() {
    let world = World::start().await;
    world.write("alice", warehouse()).await.unwrap();
    let mut selecting = stage("test", json!({"direct": true}));
    selecting["spec"]["targets"] = json!({"selectors": [{}]});
    world.write("alice", selecting).await.unwrap();
    world.store(object("Target", "eu", json!({}))).await;
    let piece = world.write("alice", freight("1")).await.unwrap().object;
    let freight = piece["metadata"]["name"].as_str().unwrap();
    let order = |target: &str| {
        let spec = json!({"stage": "test", "freight": freight, "targets": [{"name": target}]});
        object("PromotionRequest", "r", json!({"spec": spec}))
    };
    assert_eq!(world.write("mallory", order("eu")).await.err().unwrap().code(), 403);
    let missing = world.write("alice", order("us")).await.err().unwrap();
    assert!(missing.message.contains(r#"Target "us" not found in namespace "demo""#), "{missing}");
    let made = world.write("alice", order("eu")).await.unwrap().object;
    assert_eq!(made["metadata"]["annotations"]["kargo.akuity.io/create-actor"], "kubernetes:alice");
    let alone = world.write("alice", promotion("test", freight)).await.err().unwrap();
    assert!(alone.message.contains("it is promoted to with a PromotionRequest"), "{alone}");
    let mut child = promotion("test", freight);
    child["spec"]["target"] = json!("eu");
    child["metadata"]["ownerReferences"] = json!([{"apiVersion": api_kinds::API_VERSION,
        "kind": "PromotionRequest", "name": "r", "uid": "forged", "controller": true}]);
    let forged = world.write("alice", child.clone()).await.err().unwrap();
    assert!(forged.message.contains("does not ask for this Promotion"), "{forged}");
    child["metadata"]["ownerReferences"][0]["uid"] = made["metadata"]["uid"].clone();
    let child = world.write("alice", child).await.unwrap().object;
    assert!(child["metadata"]["name"].as_str().unwrap().starts_with("test.eu."));
}
