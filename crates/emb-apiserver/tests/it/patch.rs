//! The kinds of patches.

use futures::future::join_all;
use serde_json::json;

use crate::{
    custom::{WIDGETS, install, widget},
    world::{CONFIG_MAPS, config_map, test},
};

#[test]
fn parallel_merge_patches_all_take_effect() {
    test(|api| async move {
        api.post(CONFIG_MAPS, &config_map("a", json!({}))).await.expect(201);
        let path = format!("{CONFIG_MAPS}/a");
        let patches = (0..20).map(|number| {
            let (api, path) = (&api, &path);
            async move {
                let patch = json!({"metadata": {"labels": {format!("l{number}"): "x"}}});
                api.merge(path, &patch).await.expect(200)
            }
        });
        join_all(patches).await;
        let labels = api.get(&path).await.json["metadata"]["labels"].clone();
        assert_eq!(labels.as_object().unwrap().len(), 20);
    });
}

#[test]
fn a_version_in_a_patch_is_a_precondition() {
    test(|api| async move {
        let created = api.post(CONFIG_MAPS, &config_map("a", json!({}))).await.expect(201);
        let path = format!("{CONFIG_MAPS}/a");
        let version = created.json["metadata"]["resourceVersion"].clone();
        let patch =
            |key: &str| json!({"metadata": {"resourceVersion": version}, "data": {key: "v"}});
        api.merge(&path, &patch("a")).await.expect(200);
        api.merge(&path, &patch("b")).await.expect(409);
        api.merge(&path, &json!({"metadata": {"uid": "x"}})).await.expect(422);
        api.merge(&path, &json!({"metadata": {"name": "x"}})).await.expect(400);
        api.merge(&format!("{CONFIG_MAPS}/none"), &json!({})).await.expect(404);
    });
}

#[test]
fn json_patches_apply_in_order_or_not_at_all() {
    test(|api| async move {
        api.post(CONFIG_MAPS, &config_map("a", json!({"k": "v"}))).await.expect(201);
        let path = format!("{CONFIG_MAPS}/a");
        let kind = "json-patch+json";
        let good = json!([
            {"op": "test", "path": "/data/k", "value": "v"},
            {"op": "replace", "path": "/data/k", "value": "w"},
            {"op": "add", "path": "/data/n", "value": "m"},
        ]);
        let patched = api.patch(&path, kind, &good).await.expect(200);
        assert_eq!(patched.json["data"], json!({"k": "w", "n": "m"}));
        let failing = json!([{"op": "test", "path": "/data/k", "value": "v"}]);
        let refused = api.patch(&path, kind, &failing).await.expect(422);
        assert_eq!(refused.json["details"], json!({}));
        api.patch(&path, kind, &json!({"op": "add"})).await.expect(400);
    });
}

#[test]
fn strategic_patches_are_for_built_in_kinds() {
    test(|api| async move {
        install(&api).await;
        api.post(WIDGETS, &widget("a", json!({}))).await.expect(201);
        let kind = "strategic-merge-patch+json";
        let refused = api.patch(&format!("{WIDGETS}/a"), kind, &json!({})).await.expect(415);
        assert!(refused.message().contains("application/merge-patch+json"));
        api.patch(&format!("{WIDGETS}/a"), "apply-patch+json", &json!({})).await.expect(415);
        let mut body = config_map("a", json!({"k": "v", "n": "m"}));
        body["metadata"]["finalizers"] = json!(["a.b/c"]);
        api.post(CONFIG_MAPS, &body).await.expect(201);
        let path = format!("{CONFIG_MAPS}/a");
        let patch = json!({"metadata": {"finalizers": ["d.e/f"]}, "data": {"k": null}});
        let patched = api.patch(&path, kind, &patch).await.expect(200);
        assert_eq!(patched.json["data"], json!({"n": "m"}));
        assert_eq!(patched.json["metadata"]["finalizers"], json!(["d.e/f", "a.b/c"]));
        api.patch(&path, "json", &json!({})).await.expect(415);
    });
}
