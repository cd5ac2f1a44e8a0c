//! Credentials and ConfigMaps.

use http::Method;
use serde_json::{Value, json};

use crate::world::{Reply, World};

const SHARED: &str = "/shared/generic-credentials";

async fn world() -> (World, String) {
    let variables = [("SECRET_MANAGEMENT_ENABLED", "true")];
    let world = World::with(&variables, vec![]).await;
    let token = world.admin().await;
    (world, token)
}

async fn send(world: &World, method: Method, path: &str, token: &str, body: &Value) -> Reply {
    world.send(method, path, Some(token), &[], body.to_string()).await
}

#[tokio::test]
async fn what_is_secret_goes_in_and_does_not_come_out() {
    let (world, token) = world().await;
    let body = json!({"name": "c", "data": {"key": "hunter2"}, "description": "d"});
    let created = send(&world, Method::POST, SHARED, &token, &body).await;
    assert_eq!(created.status, 201, "{:?}", created.error());
    let path = format!("{SHARED}/c");
    let patch = json!({"data": {"other": "hunter2"}});
    let patched = send(&world, Method::PATCH, &path, &token, &patch).await;
    assert_eq!(patched.status, 200, "{:?}", patched.error());
    let list = world.get(SHARED, &token).await;
    for reply in [&created, &patched, &list, &world.get(&path, &token).await] {
        let text = String::from_utf8_lossy(&reply.body);
        assert!(text.contains("*** REDACTED ***"), "{text}");
        // Neither in clear nor as it is stored.
        assert!(!text.contains("hunter2") && !text.contains("aHVudGVyMg"), "{text}");
    }
    assert_eq!(list.json()["items"].as_array().unwrap().len(), 1);
    let gone = world.send(Method::DELETE, &path, Some(&token), &[], "").await;
    assert_eq!(gone.status, 204);
    assert_eq!(world.get(&path, &token).await.status, 404);
}

#[tokio::test]
async fn credentials_of_repositories_show_the_repository() {
    let (world, token) = world().await;
    let path = "/shared/repo-credentials";
    let body = json!({"name": "r", "type": "git", "repoUrl": "https://example.com/a", "username": "u", "password": "hunter2"});
    let created = send(&world, Method::POST, path, &token, &body).await;
    assert_eq!(created.status, 201, "{:?}", created.error());
    let shown = &created.json()["stringData"];
    assert_eq!(shown["repoURL"], "https://example.com/a");
    assert_eq!(shown["password"], "*** REDACTED ***");
    let wrong =
        json!({"name": "r", "type": "ftp", "repoUrl": "x", "username": "u", "password": "p"});
    let refused = send(&world, Method::POST, path, &token, &wrong).await;
    assert_eq!(refused.error(), (400, "type should be one of git, helm, or image".to_owned()));
}

#[tokio::test]
async fn nothing_is_written_where_secrets_are_not_managed() {
    let world = World::start(vec![]).await;
    let token = world.admin().await;
    let body = json!({"name": "c", "data": {"key": "v"}});
    let refused = send(&world, Method::POST, SHARED, &token, &body).await;
    assert_eq!(refused.error(), (501, "secret management is not enabled".to_owned()));
    assert_eq!(world.get(SHARED, &token).await.status, 200);
}

#[tokio::test]
async fn config_maps_are_written_and_read() {
    let (world, token) = world().await;
    let path = "/system/configmaps";
    let created =
        send(&world, Method::POST, path, &token, &json!({"name": "m", "data": {"a": "1"}})).await;
    assert_eq!(created.status, 201, "{:?}", created.error());
    let one = format!("{path}/m");
    let patched = send(
        &world,
        Method::PATCH,
        &one,
        &token,
        &json!({"data": {"b": "2"}, "removeKeys": ["a"]}),
    )
    .await;
    assert_eq!(patched.json()["data"], json!({"b": "2"}));
    let put = send(&world, Method::PUT, &one, &token, &json!({"data": {"c": "3"}})).await;
    assert_eq!(put.json()["data"], json!({"c": "3"}));
    let listed = world.get(path, &token).await.json();
    let names =
        listed["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].clone());
    assert!(names.into_iter().any(|name| name == "m"));
    assert_eq!(world.send(Method::DELETE, &one, Some(&token), &[], "").await.status, 204);
}
