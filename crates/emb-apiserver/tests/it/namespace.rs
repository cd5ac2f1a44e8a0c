//! The life of a namespace.

use std::time::Duration;

use serde_json::json;

use crate::{
    custom::{WIDGETS, install, widget},
    world::{config_map, test},
};

const NAMESPACES: &str = "/api/v1/namespaces";

#[test]
fn a_namespace_starts_active_with_an_account() {
    test(|api| async move {
        let body = json!({"metadata": {"name": "p"}, "spec": {}});
        let created = api.post(NAMESPACES, &body).await.expect(201);
        assert_eq!(created.json["status"]["phase"], "Active");
        assert_eq!(created.json["spec"]["finalizers"], json!(["kubernetes"]));
        assert_eq!(created.json["metadata"]["labels"]["kubernetes.io/metadata.name"], "p");
        let account = api.get("/api/v1/namespaces/p/serviceaccounts/default").await.expect(200);
        assert!(account.json["metadata"]["uid"].is_string());
        api.post(NAMESPACES, &json!({"metadata": {"name": "a.b"}})).await.expect(422);
        let generated = api.post(NAMESPACES, &json!({"metadata": {"generateName": "g-"}})).await;
        let metadata = generated.expect(201).json["metadata"].clone();
        assert_eq!(metadata["labels"]["kubernetes.io/metadata.name"], metadata["name"]);
        let protected = api.delete("/api/v1/namespaces/default").await.expect(403);
        assert_eq!(
            protected.message(),
            "namespaces \"default\" is forbidden: this namespace may not be deleted"
        );
    });
}

#[test]
fn a_deleted_namespace_is_emptied_and_goes() {
    test(|api| async move {
        api.post(NAMESPACES, &json!({"metadata": {"name": "p"}})).await.expect(201);
        api.post("/api/v1/namespaces/p/configmaps", &config_map("a", json!({}))).await.expect(201);
        let deleted = api.delete("/api/v1/namespaces/p").await.expect(200);
        assert_eq!(deleted.json["status"]["phase"], "Terminating");
        assert!(deleted.json["metadata"].get("deletionGracePeriodSeconds").is_none());
        api.settle(Duration::ZERO).await;
        api.get("/api/v1/namespaces/p").await.expect(404);
        api.get("/api/v1/namespaces/p/configmaps/a").await.expect(404);
        api.get("/api/v1/namespaces/p/serviceaccounts/default").await.expect(404);
    });
}

#[test]
fn a_terminating_namespace_takes_nothing_new_and_says_what_it_waits_for() {
    test(|api| async move {
        install(&api).await;
        api.post(NAMESPACES, &json!({"metadata": {"name": "p"}})).await.expect(201);
        let widgets = WIDGETS.replace("default", "p");
        let mut held = widget("held", json!({}));
        held["metadata"]["finalizers"] = json!(["x.y/z"]);
        api.post(&widgets, &held).await.expect(201);
        api.delete("/api/v1/namespaces/p").await.expect(200);
        api.settle(Duration::ZERO).await;
        let refused = api
            .post("/api/v1/namespaces/p/configmaps", &config_map("c3", json!({})))
            .await
            .expect(403);
        assert_eq!(
            refused.message(),
            "configmaps \"c3\" is forbidden: unable to create new content in namespace p because it is being terminated"
        );
        assert_eq!(refused.json["details"]["causes"][0]["reason"], "NamespaceTerminating");
        let token = "/api/v1/namespaces/p/serviceaccounts/default/token";
        let refused = api.post(token, &json!({})).await.expect(403);
        assert!(refused.message().starts_with("serviceaccounts \"default\" is forbidden: unable"));
        let waiting = api.get("/api/v1/namespaces/p").await.expect(200);
        let conditions = waiting.json["status"]["conditions"].as_array().unwrap();
        assert_eq!(conditions.len(), 5);
        let messages: Vec<&str> =
            conditions.iter().map(|condition| condition["message"].as_str().unwrap()).collect();
        assert!(
            messages.contains(
                &"Some resources are remaining: widgets.probe.example.com has 1 resource instances (held)"
            ),
            "{messages:?}"
        );
        api.merge(&format!("{widgets}/held"), &json!({"metadata": {"finalizers": null}}))
            .await
            .expect(200);
        api.settle(Duration::ZERO).await;
        api.get("/api/v1/namespaces/p").await.expect(404);
    });
}

#[test]
fn finalizers_of_the_namespace_itself_hold_it() {
    test(|api| async move {
        let body = json!({"metadata": {"name": "p", "finalizers": ["kargo.akuity.io/finalizer"]}});
        api.post(NAMESPACES, &body).await.expect(201);
        api.delete("/api/v1/namespaces/p").await.expect(200);
        api.settle(Duration::ZERO).await;
        let held = api.get("/api/v1/namespaces/p").await.expect(200);
        assert_eq!(held.json["spec"], json!({}));
        api.merge("/api/v1/namespaces/p", &json!({"metadata": {"finalizers": null}}))
            .await
            .expect(200);
        api.get("/api/v1/namespaces/p").await.expect(404);
    });
}
