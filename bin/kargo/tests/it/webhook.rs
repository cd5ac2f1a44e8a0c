//! Admission webhooks of users, over real HTTPS.

use dev_testkit::{
    Kargo, UpOptions,
    server::webhook::{WebhookAnswer, WebhookServer, allow, patch},
};
use http::Method;
use serde_json::{Value, json};

use super::program;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn configuration(kind: &str, client: Value) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": format!("{kind}WebhookConfiguration"), "metadata": {"name": "test"},
        "webhooks": [{
            "name": "test.hooks.example.com", "sideEffects": "None", "timeoutSeconds": 2,
            "admissionReviewVersions": ["v1"], "clientConfig": client,
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"],
                "resources": ["configmaps"]}],
        }],
    })
}

#[tokio::test]
async fn webhooks_are_called_by_address_and_by_service_and_must_be_who_they_say() {
    let hooks = WebhookServer::start(&["policy.guard.svc"]).await.unwrap();
    hooks.answer("/mutate", |_| {
        patch(&json!([{"op": "add", "path": "/data", "value": {"hooked": "yes"}}]))
    });
    hooks.answer("/validate", |_| allow());
    let directory = tempfile::tempdir().unwrap();
    let services = ["guard/policy", "guard/impostor"]
        .map(|service| format!("--webhook-service={service}={}", hooks.url("")));
    let options =
        UpOptions { binary: Some(program()), arguments: services.into(), ..UpOptions::default() };
    let kargo = Kargo::up(directory.path(), &options).await.unwrap();
    let client = kargo.client().unwrap();
    let send = async |path: &str, body: Value| {
        let reply = client.json(Method::POST, path, &body).await.unwrap();
        (reply.status.as_u16(), reply.json())
    };
    let map =
        |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    let group = "/apis/admissionregistration.k8s.io/v1";
    let mutating = format!("{group}/mutatingwebhookconfigurations");
    let by_address = json!({"url": hooks.url("/mutate"), "caBundle": hooks.ca_bundle()});
    assert_eq!(send(&mutating, configuration("Mutating", by_address)).await.0, 201);
    let (code, created) = send(MAPS, map("a")).await;
    assert_eq!((code, &created["data"]["hooked"]), (201, &json!("yes")));

    let validating = format!("{group}/validatingwebhookconfigurations");
    let by_service = |name: &str| {
        let service = json!({"namespace": "guard", "name": name, "path": "/validate"});
        configuration("Validating", json!({"service": service, "caBundle": hooks.ca_bundle()}))
    };
    assert_eq!(send(&validating, by_service("unknown")).await.0, 422);
    assert_eq!(send(&validating, by_service("policy")).await.0, 201);
    assert_eq!(send(MAPS, map("b")).await.0, 201);
    assert_eq!(hooks.take("/validate").len(), 1);
    hooks.answer("/validate", |_| WebhookAnswer::Never);
    let (code, late) = send(MAPS, map("c")).await;
    assert_eq!(code, 500);
    assert!(late["message"].as_str().unwrap().ends_with("context deadline exceeded"), "{late}");

    let path = format!("{validating}/test");
    client.json(Method::DELETE, &path, &json!({})).await.unwrap();
    hooks.take("/validate");
    assert_eq!(send(&validating, by_service("impostor")).await.0, 201);
    let (code, refused) = send(MAPS, map("d")).await;
    assert_eq!(code, 500);
    assert!(refused["message"].as_str().unwrap().contains("no trusted TLS"), "{refused}");
    assert!(hooks.take("/validate").is_empty(), "an impostor learned what is written");
    kargo.stop().await.unwrap();
}
