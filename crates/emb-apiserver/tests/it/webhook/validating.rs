//! Webhooks that refuse, warn, and write into the audit log.

use std::sync::Arc;

use serde_json::{Value, json};

use super::double::{Double, MUTATING, Outcome, VALIDATING, allow, configure, hook, setup};
use crate::world::{CONFIG_MAPS, config_map, test_with};

#[test]
fn the_first_refusal_in_order_counts_and_all_warnings_are_told() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let hooks = json!([hook("a", json!({})), hook("b", json!({})), hook("c", json!({}))]);
        configure(&api, VALIDATING, "v", hooks).await.expect(201);
        double.on("a", |_| Outcome::Response(json!({"allowed": true, "warnings": ["be careful"]})));
        let refusal = json!({"code": 418, "reason": "Teapot", "message": "no way",
            "details": {"causes": [{"message": "short"}]}});
        double.on("b", move |_| {
            Outcome::Response(json!({"allowed": false, "status": refusal, "warnings": ["hot"]}))
        });
        double.on("c", |_| Outcome::Response(json!({"allowed": false})));
        let refused = api.post(CONFIG_MAPS, &config_map("m", json!({}))).await.expect(418);
        assert_eq!(
            refused.message(),
            "admission webhook \"b.hooks.example.com\" denied the request: no way"
        );
        assert_eq!(refused.json["reason"], "Teapot");
        assert_eq!(refused.json["details"]["causes"][0]["message"], "short");
        assert_eq!(refused.warnings(), ["299 - \"be careful\"", "299 - \"hot\""]);
        double.on("b", |_| allow());
        let refused = api.post(CONFIG_MAPS, &config_map("m", json!({}))).await.expect(400);
        assert_eq!(
            refused.message(),
            "admission webhook \"c.hooks.example.com\" denied the request without explanation"
        );
    });
}

#[test]
fn the_audit_log_shows_what_webhooks_did_and_said() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        configure(&api, MUTATING, "m", json!([hook("m", json!({}))])).await.expect(201);
        configure(&api, VALIDATING, "v", json!([hook("v", json!({"failurePolicy": "Ignore"}))]))
            .await
            .expect(201);
        double.on("m", |_| {
            Outcome::Response(json!({"allowed": true, "auditAnnotations": {"why": "because"}}))
        });
        double.on("v", |_| Outcome::Unreachable);
        api.post(CONFIG_MAPS, &config_map("m", json!({}))).await.expect(201);
        let line = api.audit.0.lock().last().unwrap().clone();
        let event: Value = serde_json::from_str(&line).unwrap();
        let annotations = &event["annotations"];
        assert_eq!(annotations["m.hooks.example.com/why"], "because");
        assert_eq!(
            annotations["mutation.webhook.admission.k8s.io/round_0_index_0"],
            "{\"configuration\":\"m\",\"mutated\":false,\"webhook\":\"m.hooks.example.com\"}"
        );
        assert_eq!(
            annotations["failed-open.validating.webhook.admission.k8s.io/round_0_index_0"],
            "v.hooks.example.com"
        );
    });
}

#[test]
fn a_review_tells_everything_about_the_request() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        configure(&api, VALIDATING, "v", json!([hook("v", json!({}))])).await.expect(201);
        let path = format!("{CONFIG_MAPS}?fieldManager=me&dryRun=All");
        let created = api.post(&path, &config_map("m", json!({}))).await.expect(201);
        let (_, mut request) = double.requests().remove(0);
        let object = request.as_object_mut().unwrap().remove("object").unwrap();
        assert_eq!(object["metadata"]["uid"], created.json["metadata"]["uid"]);
        assert!(request.as_object_mut().unwrap().remove("uid").unwrap().is_string());
        let kind = json!({"group": "", "version": "v1", "kind": "ConfigMap"});
        let resource = json!({"group": "", "version": "v1", "resource": "configmaps"});
        assert_eq!(
            request,
            json!({
                "kind": kind, "requestKind": kind, "resource": resource, "requestResource": resource,
                "name": "m", "namespace": "default", "operation": "CREATE", "oldObject": null,
                "userInfo": {"username": "admin", "groups": ["system:masters", "system:authenticated"]},
                "dryRun": true,
                "options": {
                    "kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me",
                    "dryRun": ["All"],
                },
            })
        );
        api.post(
            CONFIG_MAPS,
            &json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"generateName": "g-"}}),
        )
        .await
        .expect(201);
        let (_, request) = double.requests().remove(0);
        assert!(request["name"].as_str().unwrap().starts_with("g-"), "validators know the name");
    });
}

#[test]
fn a_collection_goes_without_a_name_and_reads_go_unseen() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        for name in ["a", "b"] {
            api.post(CONFIG_MAPS, &config_map(name, json!({}))).await.expect(201);
        }
        configure(&api, VALIDATING, "v", json!([hook("v", json!({}))])).await.expect(201);
        api.get(CONFIG_MAPS).await.expect(200);
        assert_eq!(double.asked(), [""; 0]);
        api.delete(CONFIG_MAPS).await.expect(200);
        let requests = double.requests();
        assert_eq!(requests.len(), 2);
        for (_, request) in requests {
            assert_eq!(request.get("name"), None);
            assert!(request["oldObject"]["metadata"]["name"].is_string());
        }
    });
}

#[test]
fn configurations_are_beyond_the_reach_of_webhooks() {
    let double = Arc::new(Double::default());
    test_with(setup(&double), |api| async move {
        let everything = json!({"rules": [{
            "operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]
        }]});
        double.on("v", |_| Outcome::Response(json!({"allowed": false})));
        configure(&api, VALIDATING, "v", json!([hook("v", everything)])).await.expect(201);
        api.post(CONFIG_MAPS, &config_map("m", json!({}))).await.expect(400);
        configure(&api, MUTATING, "m", json!([])).await.expect(201);
        api.delete(&format!("{VALIDATING}/v")).await.expect(200);
        api.post(CONFIG_MAPS, &config_map("m", json!({}))).await.expect(201);
        assert_eq!(double.asked(), ["v"]);
    });
}
