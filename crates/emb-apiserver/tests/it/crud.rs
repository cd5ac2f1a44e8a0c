//! Create, read, update and delete of built-in objects.

use serde_json::json;

use crate::world::{CONFIG_MAPS, config_map, test};

#[test]
fn an_object_is_created_read_changed_and_deleted() {
    test(|api| async move {
        let created = api.post(CONFIG_MAPS, &config_map("a", json!({"k": "v"}))).await.expect(201);
        assert_eq!(created.json["kind"], "ConfigMap");
        assert_eq!(created.json["apiVersion"], "v1");
        assert_eq!(created.json["metadata"]["namespace"], "default");
        assert_eq!(created.json["metadata"]["creationTimestamp"], "2026-01-01T00:00:00Z");
        let path = format!("{CONFIG_MAPS}/a");
        let read = api.get(&path).await.expect(200);
        assert_eq!(read.json, created.json);

        let mut changed = read.json.clone();
        changed["data"]["k"] = json!("w");
        let updated = api.put(&path, &changed).await.expect(200);
        assert!(updated.version() > created.version());
        let stale = api.put(&path, &changed).await.expect(409);
        assert_eq!(stale.json["reason"], "Conflict");
        let current = updated.json["metadata"]["resourceVersion"].clone();
        assert_eq!(
            stale.json["details"]["causes"],
            json!([{"reason": "CurrentResourceVersion", "field": "metadata.resourceVersion", "message": current}])
        );
        let patch = json!({"metadata": {"resourceVersion": "1"}, "data": {"k": "x"}});
        let stale = api.merge(&path, &patch).await.expect(409);
        assert_eq!(stale.json["details"].get("causes"), None);

        let deleted = api.delete(&path).await.expect(200);
        assert_eq!(deleted.json["status"], "Success");
        assert_eq!(deleted.json["details"]["uid"], created.json["metadata"]["uid"]);
        let missing = api.get(&path).await.expect(404);
        assert_eq!(missing.message(), "configmaps \"a\" not found");
    });
}

#[test]
fn a_list_has_items_without_kind_and_a_version() {
    test(|api| async move {
        for name in ["p2", "p15", "p1"] {
            api.post(CONFIG_MAPS, &config_map(name, json!({}))).await.expect(201);
        }
        let list = api.get(CONFIG_MAPS).await.expect(200);
        assert_eq!(list.names(), ["p1", "p15", "p2"]);
        assert_eq!(list.json["kind"], "ConfigMapList");
        assert!(list.json["items"][0].get("kind").is_none());
        assert_eq!(list.version(), api.store.revision());
        let empty = api.get("/api/v1/namespaces/nowhere/configmaps").await.expect(200);
        assert_eq!(empty.json["items"], json!([]));
    });
}

#[test]
fn writes_that_change_nothing_keep_the_version() {
    test(|api| async move {
        let created = api.post(CONFIG_MAPS, &config_map("a", json!({"k": "v"}))).await.expect(201);
        let path = format!("{CONFIG_MAPS}/a");
        let revision = api.store.revision();
        assert_eq!(api.put(&path, &created.json).await.expect(200).version(), created.version());
        let patched = api.merge(&path, &json!({"data": {"k": "v"}})).await.expect(200);
        assert_eq!(patched.version(), created.version());
        assert_eq!(api.store.revision(), revision);
        let metrics = api.get("/metrics").await.expect(200);
        let text = std::str::from_utf8(&metrics.bytes).unwrap();
        assert!(text.contains("\napiserver_unchanged_writes_total 2\n"), "{text}");
    });
}

#[test]
fn built_in_updates_without_a_version_overwrite() {
    test(|api| async move {
        api.post(CONFIG_MAPS, &config_map("a", json!({"k": "v"}))).await.expect(201);
        let path = format!("{CONFIG_MAPS}/a");
        let updated = api.put(&path, &config_map("a", json!({"x": "y"}))).await.expect(200);
        assert_eq!(updated.json["data"], json!({"x": "y"}));
        let lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
        let body = json!({"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}});
        api.put(lease, &body).await.expect(201);
        api.put(&format!("{CONFIG_MAPS}/new"), &config_map("new", json!({}))).await.expect(404);
    });
}

#[test]
fn an_update_says_which_object_and_which_version_it_replaces() {
    test(|api| async move {
        let lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
        let mut body = json!({"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}});
        api.put(lease, &body).await.expect(201);
        let refused = api.put(lease, &body).await.expect(422);
        assert_eq!(refused.json["details"]["causes"][0]["field"], "metadata.resourceVersion");
        body["metadata"] = json!({"name": "l", "uid": "another", "resourceVersion": "1"});
        let refused = api.put(lease, &body).await.expect(409);
        assert!(refused.message().contains("UID in precondition: another"));
        body["metadata"] = json!({});
        let refused = api.put(lease, &body).await.expect(400);
        assert!(refused.message().ends_with("name must be provided"));
    });
}

#[test]
fn names_are_checked_and_generated() {
    test(|api| async move {
        let post = |metadata: serde_json::Value| {
            let api = &api;
            async move { api.post(CONFIG_MAPS, &json!({ "metadata": metadata })).await }
        };
        post(json!({"name": "Upper"})).await.expect(422);
        let unnamed = post(json!({})).await.expect(422);
        assert_eq!(unnamed.json["details"]["causes"][0]["field"], "metadata.name");
        let generated = post(json!({"generateName": "gen-"})).await.expect(201);
        let name = generated.json["metadata"]["name"].as_str().unwrap();
        assert!(name.starts_with("gen-") && name.len() == 9, "{name}");
        post(json!({"name": "a", "namespace": "other"})).await.expect(400);
        let cluster_wide = json!({"metadata": {"name": "of-an-application", "namespace": "other"}});
        let created = api.post("/api/v1/namespaces", &cluster_wide).await.expect(201);
        assert_eq!(created.json["metadata"].get("namespace"), None);
        post(json!({"name": "a", "resourceVersion": "1"})).await.expect(422);
        post(json!({"name": "a", "labels": {"a b": "c"}})).await.expect(422);
        post(json!({"name": "a", "labels": {"a": 1}})).await.expect(400);
        post(json!({"name": "a"})).await.expect(201);
        let again = post(json!({"name": "a"})).await.expect(409);
        assert_eq!(again.message(), "configmaps \"a\" already exists");
        post(json!({"name": "b", "finalizers": ["plain"]})).await.expect(422);
    });
}

#[test]
fn creates_need_a_namespace() {
    test(|api| async move {
        let missing =
            api.post("/api/v1/namespaces/x/configmaps", &config_map("a", json!({}))).await;
        let missing = missing.expect(404);
        assert_eq!(missing.message(), "namespaces \"x\" not found");
        assert_eq!(missing.json["details"]["kind"], "namespaces");
    });
}

#[test]
fn a_dry_run_stores_nothing() {
    test(|api| async move {
        let before = api.store.revision();
        let dry = format!("{CONFIG_MAPS}?dryRun=All");
        let reply = api.post(&dry, &config_map("a", json!({}))).await.expect(201);
        assert!(reply.json["metadata"].get("resourceVersion").is_none());
        assert!(reply.json["metadata"]["uid"].is_string());
        assert_eq!(api.store.revision(), before);
        api.post(&format!("{CONFIG_MAPS}?dryRun=Foo"), &config_map("a", json!({})))
            .await
            .expect(422);
        api.post(CONFIG_MAPS, &config_map("a", json!({}))).await.expect(201);
        api.post(&dry, &config_map("a", json!({}))).await.expect(409);
        api.delete(&format!("{CONFIG_MAPS}/a?dryRun=All")).await.expect(200);
        api.get(&format!("{CONFIG_MAPS}/a")).await.expect(200);
    });
}
