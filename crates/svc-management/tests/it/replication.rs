//! Shared resources are copied, followed and taken back.

use api_kinds::{Project, finalizer::FINALIZER};
use k8s_openapi::{
    ByteString,
    api::core::v1::{ConfigMap, Namespace, Secret},
};
use kube::ResourceExt;
use serde_json::json;

use crate::world::{World, create, delete, merge};

const SHARED: &str = "kargo-shared-resources";

fn secret(value: &str) -> serde_json::Value {
    json!({
        "metadata": {
            "name": "creds",
            "labels": {"kargo.akuity.io/cred-type": "git"},
            "annotations": {"kargo.akuity.io/replicate-to": "*"},
        },
        "stringData": {"password": value},
    })
}

async fn until_value(world: &World, project: &str, expected: &str) -> Secret {
    let secrets = world.within::<Secret>(project);
    world
        .eventually("the copy has the value", async || {
            let copy = secrets.get_opt("creds").await.unwrap()?;
            let wanted = ByteString(expected.as_bytes().to_vec());
            (copy.data.as_ref()?.get("password") == Some(&wanted)).then_some(copy)
        })
        .await
}

#[tokio::test]
async fn copies_come_follow_heal_and_go() {
    let world = World::start().await;
    world.ready_project("a", json!({})).await;
    let shared = world.within::<Secret>(SHARED);
    create(&shared, secret("one")).await;
    let copy = until_value(&world, "a", "one").await;
    assert_eq!(copy.labels()["kargo.akuity.io/replicated-from"], "creds");
    assert_eq!(copy.finalizers(), [""; 0]);
    assert_eq!(shared.get("creds").await.unwrap().finalizers(), [FINALIZER]);

    world.ready_project("b", json!({})).await;
    until_value(&world, "b", "one").await;

    merge(&shared, "creds", json!({"stringData": {"password": "two"}})).await;
    until_value(&world, "a", "two").await;
    until_value(&world, "b", "two").await;

    let copies = world.within::<Secret>("a");
    merge(&copies, "creds", json!({"stringData": {"password": "edited"}})).await;
    until_value(&world, "a", "two").await;
    delete(&copies, "creds").await;
    until_value(&world, "a", "two").await;

    let withdrawn = json!({"metadata": {"annotations": {"kargo.akuity.io/replicate-to": null}}});
    merge(&shared, "creds", withdrawn).await;
    world.until_gone(&copies, "creds").await;
    world.until_gone(&world.within::<Secret>("b"), "creds").await;
    world
        .eventually("the source is released", async || {
            shared.get("creds").await.unwrap().finalizers().is_empty().then_some(())
        })
        .await;
}

#[tokio::test]
async fn a_deleted_source_takes_its_copies_along() {
    let world = World::start().await;
    world.ready_project("a", json!({})).await;
    let shared = world.within::<ConfigMap>(SHARED);
    let source = json!({
        "metadata": {"name": "cfg", "annotations": {"kargo.akuity.io/replicate-to": "a"}},
        "data": {"k": "v"},
    });
    create(&shared, source).await;
    let copies = world.within::<ConfigMap>("a");
    world.until_there(&copies, "cfg").await;
    delete(&shared, "cfg").await;
    world.until_gone(&shared, "cfg").await;
    assert!(copies.get_opt("cfg").await.unwrap().is_none());
}

#[tokio::test]
async fn objects_of_people_and_secrets_that_are_no_credentials_are_left_alone() {
    let world = World::start().await;
    world.ready_project("a", json!({})).await;
    world.ready_project("b", json!({})).await;
    let own = json!({"metadata": {"name": "creds"}, "stringData": {"password": "mine"}});
    create(&world.within::<Secret>("a"), own).await;
    let shared = world.within::<Secret>(SHARED);
    let mut plain = secret("x");
    plain["metadata"]["name"] = json!("plain");
    plain["metadata"]["labels"] = json!({});
    create(&shared, plain).await;
    create(&shared, secret("one")).await;
    until_value(&world, "b", "one").await;
    until_value(&world, "a", "mine").await;
    assert!(world.within::<Secret>("b").get_opt("plain").await.unwrap().is_none());
}

#[tokio::test]
async fn a_kept_namespace_loses_its_copies() {
    let world = World::start().await;
    world.ready_project("a", json!({"kargo.akuity.io/keep-namespace": "true"})).await;
    create(&world.within::<Secret>(SHARED), secret("one")).await;
    until_value(&world, "a", "one").await;
    delete(&world.cluster::<Project>(), "a").await;
    world.until_gone(&world.cluster::<Project>(), "a").await;
    world.until_gone(&world.within::<Secret>("a"), "creds").await;
    world.cluster::<Namespace>().get("a").await.unwrap();
}
