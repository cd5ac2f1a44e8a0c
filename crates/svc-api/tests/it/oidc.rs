//! People of an identity provider.

use std::{sync::atomic::Ordering, time::Duration};

use dev_testkit::engine::Engine;
use serde_json::{Value, json};

use crate::{
    provider::Provider,
    world::{World, project},
};

/// A provider, a server that trusts it, and a Project whose viewers are the group `devs`.
async fn start() -> (Provider, World, Engine) {
    // The provider outlives no test, but must be there before the server.
    let outside = Engine::start().await.unwrap();
    let provider = Provider::start(&outside).await;
    let mut objects = project("demo");
    objects.extend(viewers("demo"));
    objects.extend(project("other"));
    let variables = [
        ("OIDC_ENABLED", "true"),
        ("OIDC_ISSUER_URL", provider.issuer.as_str()),
        ("OIDC_CLIENT_ID", "web"),
        ("OIDC_CLI_CLIENT_ID", "cli"),
        ("GLOBAL_SERVICE_ACCOUNT_NAMESPACES", "kargo"),
    ];
    let world = World::with(&variables, objects).await;
    (provider, world, outside)
}

/// A ServiceAccount for the group `devs` that may read Stages of the namespace.
fn viewers(namespace: &str) -> Vec<Value> {
    let rbac = "rbac.authorization.k8s.io/v1";
    let metadata = json!({"namespace": namespace, "name": "viewer"});
    vec![
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {
            "namespace": namespace, "name": "viewer",
            "annotations": {"rbac.kargo.akuity.io/claims": r#"{"groups":["devs"]}"#}}}),
        json!({"apiVersion": rbac, "kind": "Role", "metadata": metadata, "rules": [
            {"apiGroups": ["kargo.akuity.io"], "resources": ["stages"], "verbs": ["get", "list", "watch"]}]}),
        json!({"apiVersion": rbac, "kind": "RoleBinding", "metadata": metadata,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "viewer"},
            "subjects": [{"kind": "ServiceAccount", "namespace": namespace, "name": "viewer"}]}),
    ]
}

fn claims(provider: &Provider, world: &World) -> Value {
    let now = world.engine.clock().now().as_seconds();
    json!({"iss": provider.issuer, "aud": "web", "sub": "u1", "email": "a@example.com",
        "groups": ["devs"], "exp": now + 600})
}

#[tokio::test]
async fn claims_lead_to_the_rights_of_a_project_and_to_no_other() {
    let (provider, world, _outside) = start().await;
    let token = provider.sign(&claims(&provider, &world));
    assert_eq!(world.get("/projects/demo/stages", &token).await.status, 200);
    let other = world.get("/projects/other/stages", &token).await;
    let refusal = "stages.kargo.akuity.io \"\" is forbidden: list is not permitted";
    assert_eq!(other.error(), (403, refusal.to_owned()));
    // A Project that does not exist looks the same to who has no rights there.
    assert_eq!(world.get("/projects/absent/stages", &token).await.error(), other.error());
    assert_eq!(world.get("/projects/demo/warehouses", &token).await.status, 403);
    assert_eq!(world.get("/projects", &token).await.status, 403);
}

#[tokio::test]
async fn a_right_that_was_taken_back_does_not_count() {
    let (provider, world, _outside) = start().await;
    let token = provider.sign(&claims(&provider, &world));
    assert_eq!(world.get("/projects/demo/stages", &token).await.status, 200);
    let path = "/apis/rbac.authorization.k8s.io/v1/namespaces/demo/roles";
    world.patch(path, "viewer", json!({"rules": []})).await;
    // Far less than the answer would have been kept.
    for _ in 0..50 {
        if world.get("/projects/demo/stages", &token).await.status == 403 {
            return;
        }
        world.engine.clock().sleep(Duration::from_millis(50)).await;
    }
    panic!("the right still counts");
}

#[tokio::test]
async fn bad_tokens_are_refused() {
    let (provider, world, _outside) = start().await;
    let good = claims(&provider, &world);
    let with = |name: &str, value: Value| {
        let mut changed = good.clone();
        changed[name] = value;
        provider.sign(&changed)
    };
    let now = world.engine.clock().now().as_seconds();
    for (what, token) in [
        ("expired", with("exp", json!(now - 1))),
        ("not yet valid", with("nbf", json!(now + 900))),
        ("for another client", with("aud", json!(["somebody-else"]))),
        ("without a subject", with("sub", Value::Null)),
        ("with a user name that is a number", with("email", json!(5))),
    ] {
        let reply = world.get("/projects/demo/stages", &token).await;
        assert_eq!(reply.error(), (401, "invalid token".to_owned()), "{what}");
    }
    assert_eq!(world.get("/projects/demo/stages", &with("aud", json!("cli"))).await.status, 200);
}

#[tokio::test]
async fn a_token_of_another_issuer_is_for_kubernetes_to_judge() {
    let (provider, world, _outside) = start().await;
    let mut foreign = claims(&provider, &world);
    foreign["iss"] = json!("https://evil.example.com");
    let reply = world.get("/projects/demo/stages", &provider.sign(&foreign)).await;
    assert_eq!(reply.error(), (401, "invalid token".to_owned()));
}

#[tokio::test]
async fn a_new_key_is_fetched_but_not_for_everybody_who_makes_one_up() {
    let (provider, world, _outside) = start().await;
    let token = provider.sign(&claims(&provider, &world));
    assert_eq!(world.get("/projects/demo/stages", &token).await.status, 200);
    assert_eq!(provider.asked.load(Ordering::Relaxed), 1);
    provider.rotate("two");
    let token = provider.sign(&claims(&provider, &world));
    // Too soon after the last fetch: the key stays unknown.
    assert_eq!(world.get("/projects/demo/stages", &token).await.status, 401);
    assert_eq!(world.get("/projects/demo/stages", &token).await.status, 401);
    assert_eq!(provider.asked.load(Ordering::Relaxed), 1);
}
