//! What went wrong in servers like this one, and must not here.

use api_rest::route::{Access, Method as RouteMethod, routes};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::Method;
use serde_json::{Value, json};

use crate::{
    table,
    world::{Reply, World, project},
};

const KARGO: &str = "kargo.akuity.io/v1alpha1";
const ALL: [&str; 3] = ["get", "list", "watch"];

async fn send(world: &World, method: Method, path: &str, token: &str, body: String) -> Reply {
    world.send(method, path, Some(token), &[], body).await
}

fn promotion(namespace: &str) -> Value {
    json!({"apiVersion": KARGO, "kind": "Promotion", "metadata": {"namespace": namespace, "name": "qa.9"},
        "spec": {"stage": "qa", "freight": "f1", "steps": [{"uses": "compose-output"}]}})
}

fn warehouse(namespace: &str) -> Value {
    json!({"apiVersion": KARGO, "kind": "Warehouse", "metadata": {"namespace": namespace, "name": "new"},
        "spec": {"subscriptions": [{"image": {"repoURL": "example.com/a"}}]}})
}

#[tokio::test]
async fn nobody_promotes_or_approves_without_the_right_to_promote() {
    // Everything that promoting takes, but that.
    let rules = json!([
        {"apiGroups": ["kargo.akuity.io"], "resources": ["stages", "freights", "warehouses"], "verbs": ALL},
        {"apiGroups": ["kargo.akuity.io"], "resources": ["promotions"], "verbs": ["create", "get", "update"]},
        {"apiGroups": ["kargo.akuity.io"], "resources": ["freights/status"], "verbs": ["patch"]},
    ]);
    let world =
        World::start([table::objects(), table::role("demo", "almost", &rules)].concat()).await;
    let token = world.token_of("demo", "almost").await;
    let body = json!({"freight": "f1"}).to_string();
    let manifest = promotion("demo").to_string();
    for (method, path, body) in [
        (Method::POST, "/projects/demo/stages/qa/promotions", body.clone()),
        (Method::POST, "/projects/demo/stages/qa/promotions/downstream", body),
        (Method::POST, "/projects/demo/freight/f1/approve?stage=qa", String::new()),
        (Method::POST, "/resources", manifest.clone()),
        (Method::PUT, "/resources?upsert=true", manifest),
    ] {
        let (code, text) = send(&world, method, path, &token, body).await.error();
        assert_eq!(code, 403, "{path}: {text}");
        assert!(text.contains("promote is not permitted"), "{path}: {text}");
    }
    let freight = world.get("/projects/demo/freight/f1", &token).await.json();
    assert!(freight.pointer("/status/approvedFor").is_none(), "{freight}");
}

#[tokio::test]
async fn a_batch_does_not_carry_objects_into_the_projects_of_others() {
    let world = World::start(table::objects()).await;
    let token = world.token_of("kargo", "kargo-project-creator").await;
    let projects =
        |name: &str| json!({"apiVersion": KARGO, "kind": "Project", "metadata": {"name": name}});
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": {"namespace": "demo", "name": "mine"}, "subjects": [],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "kargo-admin"}});
    // A Project that is there already, and one that this call makes: neither opens another one.
    for first in ["demo", "fresh"] {
        for (method, path) in
            [(Method::POST, "/resources"), (Method::PUT, "/resources?upsert=true")]
        {
            let body = json!([projects(first), warehouse("demo"), promotion("demo"), role]);
            let reply = send(&world, method, path, &token, body.to_string()).await;
            let results = reply.json()["results"].as_array().unwrap().clone();
            assert_eq!(results.len(), 4, "{:?}", reply.json());
            for result in &results[1..] {
                let error = result["error"].as_str().unwrap_or_default();
                let is_refused = error.contains("is forbidden") || error.contains("may not grant");
                assert!(is_refused, "{first}: {result}");
            }
        }
    }
    let admin = world.admin().await;
    assert_eq!(world.get("/projects/demo/warehouses/new", &admin).await.status, 404);
    assert_eq!(world.get("/projects/demo/promotions/qa.9", &admin).await.status, 404);
}

#[tokio::test]
async fn a_token_is_more_than_a_word() {
    let world = World::start(project("demo")).await;
    let encode =
        |value: Value| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = json!({"iss": "https://kargo.example.com", "aud": "kargo.example.com", "sub": "admin",
        "exp": 4_000_000_000_u64, "nbf": 0});
    let unsigned = format!("{}.{}.", encode(json!({"alg": "none"})), encode(claims.clone()));
    let confused =
        format!("{}.{}.c2ln", encode(json!({"alg": "RS256", "kid": "x"})), encode(claims));
    let tokens = ["x", "Bearer", "..", "a.b.c", &unsigned, &confused];
    for (index, route) in routes().filter(|route| route.access != Access::Public).enumerate() {
        let path = route.path.replace(['{', '}'], "");
        let method = route.method.as_str().parse().unwrap();
        let token = tokens[index % tokens.len()];
        let reply = world.send_raw(method, &path, Some(token), &[], "{}").await;
        assert_eq!(reply.error(), (401, "invalid token".to_owned()), "{} {token}", route.operation);
    }
}

#[tokio::test]
async fn what_is_secret_is_in_no_answer() {
    const SECRET: &str = "hunter2-and-more";
    let mut objects = table::objects();
    for object in &mut objects {
        if object["kind"] == "Secret" && object["type"].is_null() {
            object["stringData"]["password"] = json!(SECRET);
            object["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] =
                json!(SECRET);
        }
    }
    let world = World::with(&[("SECRET_MANAGEMENT_ENABLED", "true")], objects).await;
    let token = world.admin().await;
    let packed = STANDARD.encode(SECRET);
    for route in routes().filter(|route| route.method == RouteMethod::Get) {
        let reply = world.send_raw(Method::GET, &table::path(route), Some(&token), &[], "").await;
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        let operation = route.operation;
        assert!(!text.contains(SECRET) && !text.contains(&packed), "{operation}: {text}");
    }
}
