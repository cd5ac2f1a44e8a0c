//! What a webhook may not change, however hard it tries.

use std::sync::Arc;

use serde_json::{Value, json};

use super::double::{Double, MUTATING, configure, hook, patch, setup};
use crate::world::{CONFIG_MAPS, World, config_map, test_with};

/// A server with a ConfigMap, and a webhook that makes this of every ConfigMap.
async fn meddle(api: &World, double: &Double, operations: Value) {
    api.post(CONFIG_MAPS, &config_map("m", json!({"k": "v"}))).await.expect(201);
    configure(api, MUTATING, "m", json!([hook("m", json!({}))])).await.expect(201);
    double.on("m", move |_| patch(operations.clone()));
}

#[test]
fn an_update_stays_with_its_object() {
    let cases = [
        (
            "/metadata/name",
            json!("other"),
            422,
            "metadata.name: Invalid value: \"other\": field is immutable",
        ),
        (
            "/metadata/uid",
            json!("other"),
            422,
            "metadata.uid: Invalid value: \"other\": field is immutable",
        ),
        ("/metadata/namespace", json!("kube-system"), 400, "does not match the namespace"),
        ("/metadata/resourceVersion", json!("1"), 409, "the object has been modified"),
        ("/metadata/deletionTimestamp", json!("2026-01-01T00:00:00Z"), 422, "field is immutable"),
        ("/kind", json!("Secret"), 422, "must be ConfigMap"),
        ("/apiVersion", json!("v2"), 500, "changes the version"),
    ];
    for (path, value, code, message) in cases {
        let double = Arc::new(Double::default());
        test_with(setup(&double), |api| async move {
            meddle(&api, &double, json!([{"op": "add", "path": path, "value": value}])).await;
            let patch = json!({"data": {"k": "w"}});
            let refused = api.merge(&format!("{CONFIG_MAPS}/m"), &patch).await.expect(code);
            assert!(refused.message().contains(message), "{path}: {}", refused.message());
        });
    }
}

#[test]
fn what_the_server_says_of_a_new_object_is_its_own() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let operations = json!([
            {"op": "add", "path": "/metadata/uid", "value": "mine"},
            {"op": "add", "path": "/metadata/creationTimestamp", "value": "2001-01-01T00:00:00Z"},
            {"op": "add", "path": "/metadata/deletionTimestamp", "value": "2001-01-01T00:00:00Z"},
        ]);
        meddle(&api, &double, operations).await;
        let created = api.post(CONFIG_MAPS, &config_map("n", json!({"k": "v"}))).await.expect(201);
        let metadata = &created.json["metadata"];
        assert_ne!(metadata["uid"], "mine");
        assert_eq!(metadata["creationTimestamp"], "2026-01-01T00:00:00Z");
        assert_eq!(metadata.get("deletionTimestamp"), None);
    });
}

#[test]
fn a_new_object_may_not_move_to_another_namespace() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let operations =
            json!([{"op": "add", "path": "/metadata/namespace", "value": "kube-system"}]);
        meddle(&api, &double, operations).await;
        api.post(CONFIG_MAPS, &config_map("n", json!({"k": "v"}))).await.expect(400);
    });
}
