//! Which requests a webhook is asked about.

use std::sync::Arc;

use serde_json::{Value, json};

use super::double::{Double, MUTATING, VALIDATING, configure, hook, patch, setup};
use crate::world::{CONFIG_MAPS, Setup, config_map, test_with};

fn definition() -> Value {
    let version = |name: &str, storage: bool| {
        json!({
            "name": name, "served": true, "storage": storage, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {"color": {"type": "string"}}},
                "status": {"type": "object", "properties": {"phase": {"type": "string"}}}}}},
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.probe.example.com"},
        "spec": {
            "group": "probe.example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [version("v1", true), version("v2", false)],
        },
    })
}

fn widgets(version: &str) -> String {
    format!("/apis/probe.example.com/{version}/namespaces/default/widgets")
}

fn widget(version: &str) -> Value {
    json!({"apiVersion": format!("probe.example.com/{version}"), "kind": "Widget",
        "metadata": {"name": "w"}, "spec": {"color": "red"}})
}

fn rules(version: &str, resources: &str) -> Value {
    json!([{"operations": ["CREATE", "UPDATE"], "apiGroups": ["probe.example.com"],
        "apiVersions": [version], "resources": [resources]}])
}

#[test]
fn other_versions_of_an_object_are_equivalent_unless_the_policy_is_exact() {
    let double = Arc::new(Double::default());
    let world = Setup { crds: vec![definition()], ..setup(&double) };
    test_with(world, |api| async move {
        let hooks = json!([
            hook("equivalent", json!({"rules": rules("v1", "widgets")})),
            hook("exact", json!({"rules": rules("v1", "widgets"), "matchPolicy": "Exact"})),
        ]);
        configure(&api, MUTATING, "m", hooks).await.expect(201);
        double.on("equivalent", |request| {
            assert_eq!(request["object"]["apiVersion"], "probe.example.com/v1");
            assert_eq!(request["kind"]["version"], "v1");
            assert_eq!(request["requestKind"]["version"], "v2");
            patch(json!([{"op": "replace", "path": "/spec/color", "value": "blue"}]))
        });
        let created = api.post(&widgets("v2"), &widget("v2")).await.expect(201);
        assert_eq!(created.json["apiVersion"], "probe.example.com/v2");
        assert_eq!(created.json["spec"]["color"], "blue");
        assert_eq!(double.asked(), ["equivalent"]);
    });
}

#[test]
fn subresources_are_named_by_rules() {
    let double = Arc::new(Double::default());
    let world = Setup { crds: vec![definition()], ..setup(&double) };
    test_with(world, |api| async move {
        let hooks = json!([
            hook("object", json!({"rules": rules("v1", "widgets")})),
            hook("status", json!({"rules": rules("v1", "widgets/status")})),
            hook("both", json!({"rules": rules("v1", "widgets/*")})),
        ]);
        configure(&api, VALIDATING, "v", hooks).await.expect(201);
        api.post(&widgets("v1"), &widget("v1")).await.expect(201);
        assert_eq!(double.asked(), ["object", "both"]);
        let path = format!("{}/w/status", widgets("v1"));
        api.merge(&path, &json!({"status": {"phase": "p"}})).await.expect(200);
        let requests = double.requests();
        assert_eq!(requests.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["status", "both"]);
        assert_eq!(requests[0].1["subResource"], "status");
        assert_eq!(requests[0].1["requestSubResource"], "status");
    });
}

#[test]
fn labels_before_and_after_count_and_namespaces_by_their_own() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let selected = json!({"matchLabels": {"watched": "yes"}});
        let anything = json!([{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"],
            "resources": ["configmaps", "namespaces", "clusterroles"]}]);
        let hooks = json!([
            hook("objects", json!({"objectSelector": selected})),
            hook("namespaces", json!({"namespaceSelector": selected, "rules": anything})),
        ]);
        configure(&api, VALIDATING, "v", hooks).await.expect(201);
        let path = format!("{CONFIG_MAPS}/m");
        api.post(CONFIG_MAPS, &config_map("m", json!({}))).await.expect(201);
        assert_eq!(double.asked(), [""; 0]);
        let label = |value: Value| json!({"metadata": {"labels": {"watched": value}}});
        api.merge(&path, &label(json!("yes"))).await.expect(200);
        api.merge(&path, &label(json!(null))).await.expect(200);
        api.merge(&path, &label(json!(null))).await.expect(200);
        assert_eq!(double.asked(), ["objects", "objects"]);
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": "watched", "labels": {"watched": "yes"}}});
        api.post("/api/v1/namespaces", &namespace).await.expect(201);
        api.post("/api/v1/namespaces/watched/configmaps", &config_map("m", json!({})))
            .await
            .expect(201);
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": "r"}});
        api.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", &role).await.expect(201);
        let requests = double.requests();
        assert_eq!(requests.len(), 3);
        assert!(requests.iter().all(|(name, _)| name == "namespaces"));
        assert_eq!(requests[0].1["namespace"], "watched", "a Namespace is inside of itself");
    });
}

#[test]
fn conditions_decide_and_their_errors_follow_the_failure_policy() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let when = |expression: &str, policy: &str| {
            json!({"failurePolicy": policy,
                "matchConditions": [{"name": "c", "expression": expression}]})
        };
        let may_escalate = "authorizer.group('rbac.authorization.k8s.io').resource('roles').check('escalate').allowed()";
        let hooks = json!([
            hook("create", when("request.operation == 'CREATE'", "Fail")),
            hook("big", when("has(object.data) && object.data.size() > 1", "Fail")),
            hook("admin", when(may_escalate, "Fail")),
            hook("user", when("request.userInfo.username == 'jane'", "Fail")),
            hook("error", when("object.data.nope == 'x'", "Ignore")),
        ]);
        configure(&api, VALIDATING, "v", hooks).await.expect(201);
        api.post(CONFIG_MAPS, &config_map("m", json!({"k": "v"}))).await.expect(201);
        assert_eq!(double.asked(), ["create", "admin"]);
        let closed = json!([hook("closed", when("object.data.nope == 'x'", "Fail"))]);
        configure(&api, VALIDATING, "w", closed).await.expect(201);
        let refused = api.post(CONFIG_MAPS, &config_map("n", json!({"k": "v"}))).await.expect(403);
        assert_eq!(
            refused.message(),
            "configmaps \"n\" is forbidden: expression 'object.data.nope == 'x'' resulted in error: no such key: nope"
        );
    });
}

#[test]
fn a_condition_that_does_not_compile_is_refused_when_it_is_written() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let wrong = json!({"matchConditions": [{"name": "c", "expression": "bogus == 1"}]});
        let refused = configure(&api, VALIDATING, "v", json!([hook("v", wrong)])).await.expect(422);
        assert_eq!(
            refused.json["details"]["causes"][0]["field"],
            "webhooks[0].matchConditions[0].expression"
        );
    });
}

#[test]
fn services_are_reached_where_the_server_was_told_they_are() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let service = |name: &str| json!({"clientConfig": {"service": {"namespace": "ns", "name": name, "path": "/v"}}});
        let refused = configure(&api, VALIDATING, "u", json!([hook("u", service("other"))]))
            .await
            .expect(422);
        assert_eq!(
            refused.json["details"]["causes"][0]["field"],
            "webhooks[0].clientConfig.service"
        );
        let known =
            configure(&api, VALIDATING, "v", json!([hook("v", service("svc"))])).await.expect(201);
        assert_eq!(known.json["webhooks"][0]["clientConfig"]["service"]["port"], 443);
        api.post(CONFIG_MAPS, &config_map("m", json!({}))).await.expect(201);
        let endpoint = double.last_endpoint();
        assert_eq!(endpoint.url, "https://127.0.0.1:9443/v?timeout=10s");
        assert_eq!(endpoint.server_name.as_deref(), Some("svc.ns.svc"));
    });
}

#[test]
fn webhooks_outlive_a_restart() {
    let double = Arc::new(Double::default());
    let log = emb_store::MemoryLog::default();
    test_with(Setup { log: log.clone(), ..setup(&double) }, |api| async move {
        configure(&api, VALIDATING, "v", json!([hook("v", json!({}))])).await.expect(201);
        api.store.close();
    });
    let double = Arc::new(Double::default());
    test_with(Setup { log, seed: 1, ..setup(&double) }, |api| async move {
        api.post(CONFIG_MAPS, &config_map("m", json!({}))).await.expect(201);
        assert_eq!(double.asked(), ["v"]);
    });
}
