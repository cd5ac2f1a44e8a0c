//! Server-side apply on the way through the server; the rules of merging have their tests where they live.

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};

use crate::{
    custom::{WIDGETS, install, widget},
    managed::{managers, owners},
    world::{CONFIG_MAPS, Reply, World, config_map, test},
};

async fn apply(api: &World, path: &str, manager: &str, object: &Value) -> Reply {
    let path = format!("{path}?fieldManager={manager}");
    api.patch(&path, "apply-patch+yaml", object).await
}

#[test]
fn what_does_not_exist_is_created_and_the_same_again_writes_nothing() {
    test(|api| async move {
        install(&api).await;
        let path = format!("{WIDGETS}/a");
        let object = widget("a", json!({"note": "x"}));
        let created = apply(&api, &path, "m1", &object).await.expect(201);
        assert_eq!(created.json["spec"], json!({"color": "red", "note": "x"}));
        assert_eq!(managers(&created.json), [("m1", "Apply", "")]);
        api.settle(Duration::from_secs(5)).await;
        let again = apply(&api, &path, "m1", &object).await.expect(200);
        assert_eq!(again.json, created.json);
        assert_eq!(api.get(&path).await.json, created.json);
    });
}

#[test]
fn a_field_of_another_manager_is_a_conflict_unless_it_is_forced() {
    test(|api| async move {
        install(&api).await;
        let path = format!("{WIDGETS}/a");
        apply(&api, &path, "m1", &widget("a", json!({"note": "x"}))).await.expect(201);
        let other = widget("a", json!({"note": "y"}));
        let refused = apply(&api, &path, "m2", &other).await.expect(409);
        let message = "Apply failed with 1 conflict: conflict with \"m1\": .spec.note";
        assert_eq!(refused.message(), message);
        let forced = apply(&api, &path, "m2&force=true", &other).await.expect(200);
        assert_eq!(forced.json["spec"]["note"], "y");
        assert_eq!(managers(&forced.json), [("m2", "Apply", "")]);
    });
}

#[test]
fn a_status_is_applied_through_its_own_path_and_only_to_what_exists() {
    test(|api| async move {
        install(&api).await;
        let (path, status) = (format!("{WIDGETS}/a"), format!("{WIDGETS}/a/status"));
        let mut object = widget("a", json!({"note": "x"}));
        object["status"] = json!({"phase": "Good"});
        apply(&api, &status, "m1", &object).await.expect(404);
        let created = apply(&api, &path, "m1", &object).await.expect(201);
        assert_eq!(created.json["status"], Value::Null);
        let applied = apply(&api, &status, "m1", &object).await.expect(200);
        assert_eq!(applied.json["status"]["phase"], "Good");
        assert_eq!(managers(&applied.json), [("m1", "Apply", ""), ("m1", "Apply", "status")]);
        let fields = &applied.json["metadata"]["managedFields"][1]["fieldsV1"];
        assert_eq!(*fields, json!({"f:status": {"f:phase": {}}}));
    });
}

#[test]
fn a_dry_run_shows_the_result_and_writes_nothing() {
    test(|api| async move {
        let path = format!("{CONFIG_MAPS}/a");
        let object = config_map("a", json!({"k": "v"}));
        let shown = apply(&api, &path, "m1&dryRun=All", &object).await.expect(201);
        assert_eq!(managers(&shown.json), [("m1", "Apply", "")]);
        api.get(&path).await.expect(404);
        let created = apply(&api, &path, "m1", &object).await.expect(201);
        let changed = config_map("a", json!({"k": "w"}));
        let shown = apply(&api, &path, "m1&dryRun=All", &changed).await.expect(200);
        assert_eq!(shown.json["data"]["k"], "w");
        assert_eq!(api.get(&path).await.json, created.json);
    });
}

#[test]
fn bodies_that_cannot_be_applied_are_refused() {
    test(|api| async move {
        install(&api).await;
        let path = format!("{WIDGETS}/a");
        let untyped = json!({"kind": "Widget", "metadata": {"name": "a"}});
        let refused = apply(&api, &path, "m1", &untyped).await.expect(400);
        assert_eq!(refused.message(), "invalid object type: /, Kind=Widget");
        let unknown = widget("a", json!({"bogus": 1}));
        let refused = apply(&api, &path, "m1", &unknown).await.expect(400);
        assert!(refused.message().ends_with(".spec.bogus: field not declared in schema"));
        apply(&api, &path, "m1", &json!([])).await.expect(400);
        apply(&api, &path, "", &widget("a", json!({}))).await.expect(422);
        let mut stale = widget("a", json!({}));
        stale["metadata"]["resourceVersion"] = json!("1");
        apply(&api, &path, "m1", &stale).await.expect(201);
        apply(&api, &path, "m1", &stale).await.expect(409);
        let doubled = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {a: b, a: c}\n";
        let strict = format!("{CONFIG_MAPS}/b?fieldManager=m1&fieldValidation=Strict");
        let request = api.request(http::Method::PATCH, &strict).body(doubled);
        request.header("content-type", "application/apply-patch+yaml").send().await.expect(400);
    });
}

#[test]
fn applies_and_deletes_at_once_end_in_one_state() {
    test(|api| async move {
        let path = format!("{CONFIG_MAPS}/a");
        let rounds = (0..20).map(|number| {
            let (api, path) = (&api, &path);
            async move {
                let data = json!({format!("k{number}"): "v"});
                let manager = format!("m{number}");
                let code = apply(api, path, &manager, &config_map("a", data)).await.code;
                assert!(matches!(code, 200 | 201), "{code}");
                if number % 5 == 0 {
                    api.delete(path).await;
                }
            }
        });
        join_all(rounds).await;
        let left = api.get(&path).await;
        let keys = left.json["data"].as_object().map_or(0, serde_json::Map::len);
        assert_eq!(keys, owners(&left.json).len());
    });
}
