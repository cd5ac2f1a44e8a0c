//! Objects that are merged into stored ones, calls that end with the first failure, and what dry runs show.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::Method;
use serde_json::{Value, json};

use crate::world::{Reply, World, project};

const RBAC: &str = "rbac.authorization.k8s.io/v1";
const SECRETS: &str = "/api/v1/namespaces/demo/secrets";

async fn put(world: &World, query: &str, token: &str, body: &Value) -> Reply {
    world.send(Method::PUT, &format!("/resources{query}"), Some(token), &[], body.to_string()).await
}

fn warehouse(name: &str, labels: Value) -> Value {
    json!({"apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Warehouse",
        "metadata": {"name": name, "namespace": "demo", "labels": labels}})
}

fn whole(name: &str, interval: &str) -> Value {
    let mut whole = warehouse(name, json!(null));
    whole["metadata"].as_object_mut().unwrap().remove("labels");
    whole["spec"] =
        json!({"interval": interval, "subscriptions": [{"image": {"repoURL": "example.com/app"}}]});
    whole
}

/// A Project in which the API server may manage roles and Secrets, as admission sees to.
async fn world() -> (World, String) {
    let mut objects = project("demo");
    let account = |name| json!({"kind": "ServiceAccount", "namespace": "kargo", "name": name});
    objects.push(json!({"apiVersion": RBAC, "kind": "RoleBinding",
        "metadata": {"name": "kargo-project-admin", "namespace": "demo"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "kargo-project-admin"},
        "subjects": [account("kargo-api"), account("kargo-admin")]}));
    let world = World::with(&[("SECRET_MANAGEMENT_ENABLED", "true")], objects).await;
    let token = world.admin().await;
    (world, token)
}

#[tokio::test]
async fn an_object_is_merged_and_fields_of_others_stay() {
    let (world, token) = world().await;
    let created = put(&world, "?fieldManager=ci", &token, &whole("one", "5m0s")).await;
    assert_eq!(created.status, 200, "{:?}", created.error());
    let manifest = &created.json()["results"][0]["createdResourceManifest"];
    assert_eq!(manifest["metadata"]["managedFields"][0]["manager"], "ci");
    let label = warehouse("one", json!({"team": "a"}));
    let merged = put(&world, "?fieldManager=people", &token, &label).await;
    assert_eq!(merged.status, 200, "{:?}", merged.error());
    let stored = world.get("/projects/demo/warehouses/one", &token).await.json();
    assert_eq!(stored["metadata"]["labels"]["team"], "a");
    assert_eq!(stored["spec"]["interval"], "5m0s", "what people did not name is still there");
}

#[tokio::test]
async fn fields_of_others_are_taken_over_only_by_force() {
    let (world, token) = world().await;
    put(&world, "?fieldManager=ci", &token, &whole("one", "5m0s")).await;
    let both = json!([whole("one", "9m0s"), whole("two", "9m0s")]);
    let mixed = put(&world, "?fieldManager=people", &token, &both).await;
    assert_eq!(mixed.status, 200, "{:?}", mixed.error());
    let results = mixed.json()["results"].clone();
    let text = results[0]["error"].as_str().unwrap();
    assert!(text.contains("conflict with \"ci\""), "{text}");
    assert!(text.contains(".spec.interval"), "{text}");
    assert!(text.ends_with("force=true (kargo apply --force-conflicts)"), "{text}");
    assert!(results[1]["createdResourceManifest"].is_object(), "{results}");
    let alone = put(&world, "?fieldManager=people", &token, &whole("one", "9m0s")).await;
    assert_eq!(alone.error(), (409, text.to_owned()));
    let forced =
        put(&world, "?fieldManager=people&force=true", &token, &whole("one", "9m0s")).await;
    assert_eq!(forced.status, 200, "{:?}", forced.error());
    let stored = world.get("/projects/demo/warehouses/one", &token).await.json();
    assert_eq!(stored["spec"]["interval"], "9m0s");
}

#[tokio::test]
async fn a_merge_takes_the_permission_to_patch_and_to_create_what_is_not_there() {
    let (world, token) = world().await;
    let viewer = world.token_of("kargo", "kargo-viewer").await;
    let refused = put(&world, "?fieldManager=me", &viewer, &whole("one", "5m0s")).await;
    let (code, text) = refused.error();
    assert!(code == 403 && text.contains("create is not permitted"), "{code} {text}");
    put(&world, "?fieldManager=ci", &token, &whole("one", "5m0s")).await;
    let (code, text) =
        put(&world, "?fieldManager=me", &viewer, &whole("one", "5m0s")).await.error();
    assert!(code == 403 && text.contains("patch is not permitted"), "{code} {text}");
    let mut nameless = whole("x", "5m0s");
    nameless["metadata"].as_object_mut().unwrap().remove("name");
    let why = "Warehouse: metadata.name says which one to apply, and is missing";
    let refused = put(&world, "?fieldManager=ci", &token, &nameless).await;
    assert_eq!(refused.error(), (400, why.to_owned()));
}

#[tokio::test]
async fn a_part_of_a_binding_is_judged_by_the_whole() {
    let (world, admin) = world().await;
    let account =
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "editor"}});
    world.apply("/api/v1/namespaces/demo/serviceaccounts", &account).await;
    let roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/demo/roles";
    let bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/demo/rolebindings";
    let subject = json!([{"kind": "ServiceAccount", "namespace": "demo", "name": "editor"}]);
    let rule = |group: &str, resource: &str, verbs: Value| json!({"apiGroups": [group], "resources": [resource], "verbs": verbs});
    let binding = |role: &str, subjects: Value| {
        json!({"apiVersion": RBAC, "kind": "RoleBinding",
        "metadata": {"name": role, "namespace": "demo"}, "subjects": subjects,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role}})
    };
    let group = "rbac.authorization.k8s.io";
    for (name, rules) in [
        (
            "editor",
            json!([rule(group, "rolebindings", json!(["get", "patch", "create", "update"]))]),
        ),
        ("mighty", json!([rule("", "secrets", json!(["*"]))])),
    ] {
        let role =
            json!({"apiVersion": RBAC, "kind": "Role", "metadata": {"name": name}, "rules": rules});
        world.apply(roles, &role).await;
    }
    world.apply(bindings, &binding("editor", subject.clone())).await;
    world.apply(bindings, &binding("mighty", json!([]))).await;
    let editor = world.token_of("demo", "editor").await;
    let mut part = binding("mighty", subject);
    part.as_object_mut().unwrap().remove("roleRef");
    let (code, text) = put(&world, "?fieldManager=me&force=true", &editor, &part).await.error();
    assert_eq!(code, 403, "{text}");
    assert!(text.contains("may not grant permissions it does not hold"), "{text}");
    let by_admin = put(&world, "?fieldManager=me&force=true", &admin, &part).await;
    assert_eq!(by_admin.status, 200, "{:?}", by_admin.error());
}

#[tokio::test]
async fn a_dry_run_shows_what_is_stored_but_no_secrets() {
    let (world, token) = world().await;
    put(&world, "?upsert=true", &token, &whole("one", "5m0s")).await;
    let dry = put(&world, "?upsert=true&dryRun=all", &token, &whole("one", "9m0s")).await.json();
    let result = &dry["results"][0];
    assert_eq!(result["storedResourceManifest"]["spec"]["interval"], "5m0s");
    assert_eq!(result["updatedResourceManifest"]["spec"]["interval"], "9m0s");
    let real = put(&world, "?upsert=true", &token, &whole("one", "9m0s")).await.json();
    assert!(real["results"][0].get("storedResourceManifest").is_none(), "{real}");

    let secret = |values: Value| {
        json!({"apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "s", "namespace": "demo"}, "stringData": values})
    };
    world.apply(SECRETS, &secret(json!({"a": "hunter2", "b": "same"}))).await;
    let new = secret(json!({"a": "hunter3"}));
    for query in [
        "?upsert=true&dryRun=all",
        "?fieldManager=me&force=true&dryRun=all",
        "?fieldManager=me&force=true",
    ] {
        let reply = put(&world, query, &token, &new).await;
        assert_eq!(reply.status, 200, "{query}: {:?}", reply.error());
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        for value in ["hunter2", "same"] {
            assert!(
                !text.contains(value) && !text.contains(&STANDARD.encode(value)),
                "{query}: {text}"
            );
        }
        assert!(text.contains("***"), "{query}: {text}");
    }
}

#[tokio::test]
async fn a_replacement_keeps_the_finalizers_it_does_not_name() {
    let (world, token) = world().await;
    let mut held = whole("one", "5m0s");
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    put(&world, "?upsert=true", &token, &held).await;
    put(&world, "?upsert=true", &token, &whole("one", "9m0s")).await;
    let stored = async || world.get("/projects/demo/warehouses/one", &token).await.json();
    assert_eq!(stored().await["metadata"]["finalizers"], json!(["example.com/hold"]));
    assert_eq!(stored().await["spec"]["interval"], "9m0s");
    held["metadata"]["finalizers"] = json!([]);
    put(&world, "?upsert=true", &token, &held).await;
    assert_eq!(stored().await["metadata"]["finalizers"], Value::Null);
}

#[tokio::test]
async fn a_strict_call_ends_with_the_first_failure() {
    let (world, token) = world().await;
    let mut bad = whole("two", "5m0s");
    bad["spec"]["subscriptions"] = json!(5);
    let three = json!([whole("one", "5m0s"), bad, whole("three", "5m0s")]);
    let ended = put(&world, "?upsert=true&strict=true", &token, &three).await;
    assert_eq!(ended.status, 207, "{:?}", ended.error());
    let results = ended.json()["results"].clone();
    assert!(results[0]["createdResourceManifest"].is_object(), "{results}");
    assert!(results[1]["error"].as_str().unwrap().contains("subscriptions"), "{results}");
    assert_eq!(results[2]["error"], "not tried, because an object before it failed");
    assert_eq!(results[2]["name"], "three");
    assert_eq!(world.get("/projects/demo/warehouses/three", &token).await.status, 404);
    let first = json!([three[1], three[2]]);
    assert_eq!(put(&world, "?upsert=true&strict=true", &token, &first).await.status, 422);
    let all = json!([three[0], three[2]]);
    assert_eq!(put(&world, "?upsert=true&strict=true", &token, &all).await.status, 200);
}
