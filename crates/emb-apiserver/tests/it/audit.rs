//! What the audit log tells about requests, and what it never tells.

use http::Method;
use serde_json::{Value, json};

use crate::world::{CONFIG_MAPS, World, config_map, test};

const SECRETS: &str = "/api/v1/namespaces/default/secrets";

/// The lines of requests to a path that starts so.
fn events(api: &World, path: &str) -> Vec<Value> {
    let lines = api.audit.0.lock();
    let events = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["requestURI"].as_str().unwrap().starts_with(path)).collect()
}

#[test]
fn an_event_says_who_did_what_and_what_was_sent() {
    test(|api| async move {
        let sent = config_map("a", json!({"x": "y"}));
        let request = api.request(Method::POST, CONFIG_MAPS).header("audit-id", "my-own");
        let reply = request.json(&sent).send().await.expect(201);
        assert_eq!(reply.headers["audit-id"], "my-own");
        let event = events(&api, CONFIG_MAPS).remove(0);
        assert_eq!(
            event,
            json!({
                "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Request",
                "auditID": "my-own", "stage": "ResponseComplete", "requestURI": CONFIG_MAPS,
                "verb": "create", "user": event["user"], "userAgent": event["userAgent"],
                "sourceIPs": [], "requestObject": sent,
                "objectRef": {
                    "resource": "configmaps", "namespace": "default", "apiVersion": "v1",
                },
                "responseStatus": {"metadata": {}, "code": 201},
                "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z",
                "stageTimestamp": "2026-01-01T00:00:00.000000Z",
                "annotations": event["annotations"],
            })
        );
        assert!(event["user"]["groups"].to_string().contains("system:masters"), "{event}");
        assert_eq!(event["annotations"]["authorization.k8s.io/decision"], "allow");
    });
}

#[test]
fn secrets_and_tokens_are_never_shown() {
    test(|api| async move {
        let secret = json!({"metadata": {"name": "s"}, "stringData": {"password": "hunter2"}});
        api.post(SECRETS, &secret).await.expect(201);
        api.merge(&format!("{SECRETS}/s"), &json!({"stringData": {"password": "hunter2"}}))
            .await
            .expect(200);
        let review = json!({"spec": {"token": "hunter2"}});
        api.post("/apis/authentication.k8s.io/v1/tokenreviews", &review).await.expect(201);
        let lines = api.audit.0.lock().join("\n");
        assert!(!lines.contains("hunter2") && lines.contains("tokenreviews"), "{lines}");
        for event in events(&api, SECRETS) {
            assert_eq!((&event["level"], event.get("requestObject")), (&json!("Metadata"), None));
        }
    });
}

#[test]
fn who_acts_as_somebody_else_is_told_with_both_names() {
    test(|api| async move {
        let request = api.request(Method::GET, CONFIG_MAPS).header("impersonate-user", "alice");
        request.send().await.expect(403);
        let event = events(&api, CONFIG_MAPS).remove(0);
        assert_ne!(event["user"]["username"], "alice");
        assert_eq!(event["impersonatedUser"]["username"], "alice");
        assert_eq!(event["annotations"]["authorization.k8s.io/decision"], "forbid");
    });
}

#[test]
fn a_name_that_is_not_believed_is_not_told() {
    test(|api| async move {
        let network = api.network();
        let request = network.request(Method::GET, CONFIG_MAPS);
        request.header("authorization", "Bearer nobody-knows-it").send().await.expect(401);
        let event = events(&api, CONFIG_MAPS).remove(0);
        assert_eq!((&event["user"], &event["annotations"]), (&json!({}), &json!({})));
        assert_eq!(event["responseStatus"]["code"], 401);
    });
}
