//! Roles of people, and tokens that act as one.

use http::Method;
use serde_json::{Value, json};

use crate::world::{Reply, World, project};

/// A Project in which the API server may manage roles, as admission sees to.
async fn world() -> (World, String) {
    let mut objects = project("demo");
    objects.push(json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"name": "kargo-project-admin", "namespace": "demo"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "kargo-project-admin"},
        "subjects": [
            {"kind": "ServiceAccount", "namespace": "kargo", "name": "kargo-api"},
            {"kind": "ServiceAccount", "namespace": "kargo", "name": "kargo-admin"}]}));
    let world = World::start(objects).await;
    let token = world.admin().await;
    (world, token)
}

async fn send(world: &World, method: Method, path: &str, token: &str, body: &Value) -> Reply {
    world.send(method, path, Some(token), &[], body.to_string()).await
}

#[tokio::test]
async fn a_role_is_made_granted_shown_and_deleted() {
    let (world, token) = world().await;
    let path = "/projects/demo/roles";
    let role = json!({"metadata": {"name": "dev"}, "claims": [{"name": "email", "values": ["a@example.com"]}],
        "rules": [{"resources": ["stages"], "verbs": ["get"]}]});
    let created = send(&world, Method::POST, path, &token, &role).await;
    assert_eq!(created.status, 201, "{:?}", created.error());
    assert_eq!(created.json()["kargoManaged"], true);
    let grant = json!({"role": "dev", "resourceDetails": {"resourceType": "warehouses", "verbs": ["list"]}});
    let granted = send(&world, Method::POST, "/projects/demo/roles/grants", &token, &grant).await;
    assert_eq!(granted.status, 200, "{:?}", granted.error());
    let shown = world.get("/projects/demo/roles/dev", &token).await.json();
    let resources: Vec<&Value> =
        shown["rules"].as_array().unwrap().iter().map(|rule| &rule["resources"][0]).collect();
    assert_eq!(resources, ["stages", "warehouses"]);
    assert_eq!(shown["claims"], role["claims"]);
    let parts = world.get("/projects/demo/roles/dev?as-resources=true", &token).await.json();
    assert_eq!(parts["serviceAccount"]["metadata"]["name"], "dev");
    let list = world.get(path, &token).await.json();
    assert!(list.as_array().unwrap().iter().any(|role| role["metadata"]["name"] == "dev"));
    let again = send(&world, Method::POST, path, &token, &role).await;
    assert_eq!(again.status, 409);
    let gone = world.send(Method::DELETE, "/projects/demo/roles/dev", Some(&token), &[], "").await;
    assert_eq!(gone.status, 204, "{:?}", gone.error());
    let absent = world.get("/projects/demo/roles/dev", &token).await;
    assert_eq!(absent.status, 404);
}

#[tokio::test]
async fn a_token_acts_as_its_role_and_is_shown_once() {
    let (world, token) = world().await;
    let role = json!({"metadata": {"name": "ci"}, "rules": [{"resources": ["stages"], "verbs": ["list"]}]});
    let created = send(&world, Method::POST, "/projects/demo/roles", &token, &role).await;
    assert_eq!(created.status, 201, "{:?}", created.error());
    let path = "/projects/demo/roles/ci/api-tokens";
    let made = send(&world, Method::POST, path, &token, &json!({"name": "t"})).await;
    assert_eq!(made.status, 201, "{:?}", made.error());
    let secret = made.json()["data"]["token"].as_str().unwrap().to_owned();
    let decoded = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, &secret).unwrap();
    let own = String::from_utf8(decoded).unwrap();
    assert_eq!(world.get("/projects/demo/stages", &own).await.status, 200);
    assert_eq!(world.get("/projects/demo/warehouses", &own).await.status, 403);
    let shown = world.get("/projects/demo/api-tokens/t", &token).await;
    assert_eq!(shown.status, 200);
    assert!(!String::from_utf8_lossy(&shown.body).contains(&secret));
    let list = world.get("/projects/demo/api-tokens?role=ci", &token).await.json();
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    let gone =
        world.send(Method::DELETE, "/projects/demo/api-tokens/t", Some(&token), &[], "").await;
    assert_eq!(gone.status, 204, "{:?}", gone.error());
}

#[tokio::test]
async fn roles_of_the_system_are_those_that_are_labeled() {
    let (world, token) = world().await;
    let list = world.get("/system/roles", &token).await;
    assert_eq!(list.status, 200, "{:?}", list.error());
    let json = list.json();
    let names: Vec<&str> = json
        .as_array()
        .unwrap()
        .iter()
        .map(|role| role["metadata"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["kargo-admin", "kargo-project-creator", "kargo-user", "kargo-viewer"]);
    assert_eq!(world.get("/system/roles/kargo-api", &token).await.status, 404);
}
