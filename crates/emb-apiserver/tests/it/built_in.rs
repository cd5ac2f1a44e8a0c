//! What is special about some built-in kinds.

use std::time::Duration;

use serde_json::json;

use crate::world::test;

#[test]
fn secret_texts_become_data_and_the_type_stays() {
    test(|api| async move {
        let secrets = "/api/v1/namespaces/default/secrets";
        let body = json!({"metadata": {"name": "s"}, "stringData": {"k": "v"}});
        let created = api.post(secrets, &body).await.expect(201);
        assert_eq!(created.json["data"], json!({"k": "dg=="}));
        assert_eq!(created.json["type"], "Opaque");
        assert!(created.json.get("stringData").is_none());
        let path = format!("{secrets}/s");
        let refused = api.merge(&path, &json!({"type": "other"})).await.expect(422);
        assert!(refused.message().contains("field is immutable"));
        let bad = json!({"metadata": {"name": "t"}, "data": {"k": "%%"}});
        api.post(secrets, &bad).await.expect(400);
    });
}

#[test]
fn an_event_has_two_views_and_a_life_of_an_hour() {
    test(|api| async move {
        let core = "/api/v1/namespaces/default/events";
        let body = json!({
            "metadata": {"name": "e"}, "reason": "R", "message": "M", "type": "Normal",
            "involvedObject": {"kind": "ConfigMap", "namespace": "default", "name": "c"},
        });
        api.post(core, &body).await.expect(201);
        let other = api.get("/apis/events.k8s.io/v1/namespaces/default/events/e").await.expect(200);
        assert_eq!(other.json["note"], "M");
        assert_eq!(other.json["regarding"]["name"], "c");
        assert_eq!(other.json["apiVersion"], "events.k8s.io/v1");
        let selector = format!("{core}?fieldSelector=involvedObject.name%3Dc");
        assert_eq!(api.get(&selector).await.expect(200).names(), ["e"]);
        let mut watch = api.watch(&format!("{core}?watch=true&timeoutSeconds=7200")).await;
        assert_eq!(watch.seen().await, Some(("ADDED".into(), "e".into())));
        api.settle(Duration::from_mins(59)).await;
        assert_eq!(watch.seen().await, None);
        api.settle(Duration::from_mins(2)).await;
        assert_eq!(watch.seen().await, Some(("DELETED".into(), "e".into())));
    });
}

#[test]
fn a_bootstrap_role_opens_what_everybody_may_see() {
    test(|api| async move {
        let roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
        api.get(&format!("{roles}/system%3Adiscovery")).await.expect(200);
        api.get(&format!("{roles}/cluster-admin")).await.expect(200);
    });
}
