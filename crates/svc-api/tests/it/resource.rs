//! Objects of any kind, many at once.

use http::Method;
use serde_json::{Value, json};

use crate::world::{Reply, World, project};

const WAREHOUSES: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/warehouses";

async fn send(world: &World, method: Method, query: &str, token: &str, body: &str) -> Reply {
    let path = format!("/resources{query}");
    world.send(method, &path, Some(token), &[], body.to_owned()).await
}

fn warehouse(name: &str) -> Value {
    json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
        "metadata": {"name": name, "namespace": "demo"},
        "spec": {"subscriptions": [{"image": {"repoURL": "example.com/app"}}]}})
}

async fn world() -> (World, String) {
    let world = World::start(project("demo")).await;
    let token = world.admin().await;
    (world, token)
}

#[tokio::test]
async fn several_objects_have_results_of_their_own() {
    let (world, token) = world().await;
    let one = warehouse("one").to_string();
    let created = send(&world, Method::POST, "", &token, &one).await;
    assert_eq!(created.status, 201, "{:?}", created.error());
    let manifest = &created.json()["results"][0]["createdResourceManifest"];
    assert_eq!(manifest["metadata"]["name"], "one");
    let again = send(&world, Method::POST, "", &token, &one).await;
    let text = "warehouse.kargo.akuity.io \"one\" already exists";
    assert_eq!(again.error(), (409, text.to_owned()));
    let both = format!("[{one},{}]", warehouse("two"));
    let mixed = send(&world, Method::POST, "", &token, &both).await;
    assert_eq!(mixed.status, 201);
    let results = mixed.json()["results"].clone();
    assert!(results[0]["error"].as_str().unwrap().contains("already exists"), "{results}");
    assert_eq!(results[1]["createdResourceManifest"]["metadata"]["name"], "two");
}

#[tokio::test]
async fn an_update_creates_only_when_asked_to() {
    let (world, token) = world().await;
    let one = warehouse("one").to_string();
    let missing = send(&world, Method::PUT, "", &token, &one).await;
    assert_eq!(missing.error(), (404, "resource does not exist".to_owned()));
    let created = send(&world, Method::PUT, "?upsert=true", &token, &one).await.json();
    assert!(created["results"][0]["createdResourceManifest"].is_object(), "{created}");
    let updated = send(&world, Method::PUT, "", &token, &one).await.json();
    assert!(updated["results"][0]["updatedResourceManifest"].is_object(), "{updated}");
    let deleted = send(&world, Method::DELETE, "", &token, &one).await;
    assert_eq!(deleted.status, 200, "{:?}", deleted.error());
    assert_eq!(world.get("/projects/demo/warehouses/one", &token).await.status, 404);
}

#[tokio::test]
async fn of_updates_at_the_same_time_all_go_through_unless_they_name_a_version() {
    let (world, token) = world().await;
    let one = warehouse("one").to_string();
    let created = send(&world, Method::POST, "", &token, &one).await.json();
    let updates = (0..4).map(|_| send(&world, Method::PUT, "", &token, &one));
    for updated in futures::future::join_all(updates).await {
        assert_eq!(updated.status, 200, "{:?}", updated.error());
    }
    world.patch(WAREHOUSES, "one", json!({"metadata": {"labels": {"a": "b"}}})).await;
    let mut old = warehouse("one");
    old["metadata"]["resourceVersion"] =
        created["results"][0]["createdResourceManifest"]["metadata"]["resourceVersion"].clone();
    let refused = send(&world, Method::PUT, "", &token, &old.to_string()).await;
    assert_eq!(refused.status, 409, "{:?}", refused.error());
}

#[tokio::test]
async fn an_object_without_a_name_is_nobody() {
    let (world, token) = world().await;
    let mut nameless = warehouse("one");
    nameless["metadata"].as_object_mut().unwrap().remove("name");
    let text = nameless.to_string();
    let deleted = send(&world, Method::DELETE, "", &token, &text).await;
    let why = "delete resource: warehouses: metadata.name says which one to delete, and is missing";
    assert_eq!(deleted.error(), (400, why.to_owned()));
    let updated = send(&world, Method::PUT, "", &token, &text).await;
    assert_eq!(updated.status, 404, "{:?}", updated.error());
    nameless["metadata"]["generateName"] = json!("made-");
    let text = nameless.to_string();
    let created = send(&world, Method::PUT, "?upsert=true", &token, &text).await;
    assert_eq!(created.status, 200, "{:?}", created.error());
    let name = &created.json()["results"][0]["createdResourceManifest"]["metadata"]["name"];
    assert!(name.as_str().is_some_and(|name| name.starts_with("made-")), "{name}");
}

#[tokio::test]
async fn a_body_of_nothing_is_refused() {
    let (world, token) = world().await;
    for body in ["", "  ", "null", "[]", "---\n---\n"] {
        let reply = send(&world, Method::POST, "", &token, body).await;
        let text = "no resources found in request body";
        assert_eq!(reply.error(), (400, text.to_owned()), "{body:?}");
    }
    let unknown =
        r#"{"apiVersion": "x.example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}"#;
    assert_eq!(send(&world, Method::POST, "", &token, unknown).await.status, 400);
}

#[tokio::test]
async fn secrets_are_refused_where_they_are_not_managed() {
    let (world, token) = world().await;
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "demo"}});
    let reply = send(&world, Method::POST, "", &token, &secret.to_string()).await;
    assert_eq!(reply.error(), (501, "secret management is not enabled".to_owned()));
}
