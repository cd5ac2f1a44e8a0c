//! Webhooks that change objects.

use std::sync::Arc;

use serde_json::json;

use super::double::{Double, MUTATING, VALIDATING, configure, hook, patch, setup};
use crate::world::{CONFIG_MAPS, config_map, test_with};

#[test]
fn mutators_run_by_configuration_and_list_order_before_validators() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        for name in ["a1", "a2", "b1"] {
            double.appends(name);
        }
        configure(&api, VALIDATING, "v", json!([hook("v1", json!({}))])).await.expect(201);
        configure(&api, MUTATING, "b", json!([hook("b1", json!({}))])).await.expect(201);
        let both = json!([hook("a1", json!({})), hook("a2", json!({}))]);
        configure(&api, MUTATING, "a", both).await.expect(201);
        let created = api.post(CONFIG_MAPS, &config_map("m", json!({"k": "v"}))).await.expect(201);
        assert_eq!(created.json["data"]["seen"], "a1a2b1");
        let requests = double.requests();
        let names: Vec<&str> = requests.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a1", "a2", "b1", "v1"]);
        assert_eq!(requests[3].1["object"]["data"]["seen"], "a1a2b1");
        assert!(requests[0].1["object"]["metadata"].get("uid").is_none());
        assert!(requests[3].1["object"]["metadata"]["uid"].is_string());
        api.delete(&format!("{MUTATING}/a")).await.expect(200);
        double.asked();
        api.merge(&format!("{CONFIG_MAPS}/m"), &json!({"data": {"k": "w"}})).await.expect(200);
        assert_eq!(double.asked(), ["b1", "v1"]);
    });
}

#[test]
fn who_wishes_is_asked_again_when_others_changed_something_after() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        double.appends("x");
        let again = json!({"reinvocationPolicy": "IfNeeded"});
        let hooks = json!([
            hook("first", again.clone()),
            hook("never", json!({})),
            hook("x", json!({})),
            hook("last", again),
        ]);
        configure(&api, MUTATING, "m", hooks).await.expect(201);
        api.post(CONFIG_MAPS, &config_map("m", json!({"k": "v"}))).await.expect(201);
        assert_eq!(double.asked(), ["first", "never", "x", "last", "first"]);
    });
}

#[test]
fn what_a_webhook_adds_is_pruned_and_validated() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        configure(&api, MUTATING, "m", json!([hook("m", json!({}))])).await.expect(201);
        double.on("m", |_| patch(json!([{"op": "add", "path": "/bogus", "value": 1}])));
        let created = api.post(CONFIG_MAPS, &config_map("a", json!({"k": "v"}))).await.expect(201);
        assert_eq!(created.json.get("bogus"), None);
        double.on("m", |_| patch(json!([{"op": "add", "path": "/data/ä", "value": "x"}])));
        let refused = api.post(CONFIG_MAPS, &config_map("b", json!({"k": "v"}))).await.expect(422);
        assert_eq!(refused.json["reason"], "Invalid");
        double.on("m", |_| patch(json!([{"op": "replace", "path": "/data", "value": "no"}])));
        let broken = api.post(CONFIG_MAPS, &config_map("c", json!({"k": "v"}))).await.expect(500);
        assert!(broken.message().starts_with("Internal error occurred: "), "{}", broken.message());
    });
}

#[test]
fn nothing_can_be_changed_about_a_delete() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        api.post(CONFIG_MAPS, &config_map("m", json!({"k": "v"}))).await.expect(201);
        configure(&api, MUTATING, "m", json!([hook("m", json!({}))])).await.expect(201);
        double.on("m", |_| patch(json!([{"op": "add", "path": "/data/x", "value": "y"}])));
        let refused = api.delete(&format!("{CONFIG_MAPS}/m")).await.expect(500);
        assert_eq!(
            refused.message(),
            "Internal error occurred: admission webhook \"m.hooks.example.com\" attempted to modify the object, which is not supported for this operation"
        );
        let (_, request) = double.requests().remove(0);
        assert_eq!(request["operation"], "DELETE");
        assert!(request["object"].is_null());
        assert_eq!(request["oldObject"]["data"]["k"], "v");
        assert_eq!(request["options"]["kind"], "DeleteOptions");
    });
}
