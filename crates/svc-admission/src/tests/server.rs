//! The webhook server's answers, and our own authority.

use std::path::PathBuf;

use bytes::Bytes;
use dev_testkit::{Client, Kubeconfig};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use io_http::Listener;
use k8s_openapi::api::{
    admissionregistration::v1::ValidatingWebhookConfiguration, core::v1::Secret,
};
use kube::Api;
use serde_json::{Value, json};

use super::world::{World, ports, server_client, warehouse};
use crate::{
    Certificate, Settings,
    registration::{Address, Registration, configurations},
    run::start_on,
    server::answer,
    trust::Trust,
};

async fn post(world: &World, path: &str, body: String) -> (StatusCode, Value) {
    let request =
        Request::builder().method(Method::POST).uri(path).body(Full::new(Bytes::from(body)));
    let response = answer(world.admitter.clone(), request.unwrap()).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

fn review(object: Value) -> String {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u", "operation": "CREATE",
        "resource": {"group": "kargo.akuity.io", "version": "v1alpha1", "resource": "warehouses"}, "namespace": "demo", "name": "w",
        "userInfo": {"username": "alice"}, "object": object}})
    .to_string()
}

#[tokio::test]
async fn reviews_are_answered_on_their_paths() {
    let world = World::start().await;
    let mutate = "/mutate-kargo-akuity-io-v1alpha1-warehouse";
    let validate = "/validate-kargo-akuity-io-v1alpha1-warehouse";
    let (status, reply) = post(&world, mutate, review(warehouse())).await;
    assert_eq!((status, &reply["response"]["patchType"]), (StatusCode::OK, &json!("JSONPatch")));
    let (_, reply) = post(&world, validate, review(warehouse())).await;
    assert_eq!(reply["response"]["allowed"], false);
    assert_eq!(reply["response"]["status"]["reason"], "Invalid");
    let mut broken = warehouse();
    broken["spec"]["subscriptions"] = json!([{"git": {}, "image": {}}]);
    let (_, reply) = post(&world, mutate, review(broken)).await;
    assert_eq!(reply["response"]["status"]["code"], 400);
    assert_eq!(post(&world, mutate, "{".into()).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(post(&world, "/other", String::new()).await.0, StatusCode::NOT_FOUND);
    let large = " ".repeat(9 * 1024 * 1024);
    assert_eq!(post(&world, mutate, large).await.0, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn our_own_authority_is_kept_and_trusted() {
    let world = World::start().await;
    let now = world.engine.clock().now();
    let address = Address::Url("https://127.0.0.1:1".into());
    let registration = Registration {
        address,
        authority: None,
        inject_from: None,
        namespace: "kargo",
        is_main_controller_held: true,
    };
    for configuration in configurations(&registration) {
        world.store(configuration).await;
    }
    let trust = Trust::open(server_client(&world.engine), "kargo", &[], now).await.unwrap();
    trust.issue(now).unwrap();
    trust.keep_up().await.unwrap();
    let secret: Secret = world.get("kargo", "kargo-webhooks-server-cert").await.unwrap();
    let kept = secret.data.unwrap()["ca.crt"].0.clone();
    let api: Api<ValidatingWebhookConfiguration> = Api::all(world.client.clone());
    let trusted = |found: ValidatingWebhookConfiguration| {
        let webhooks = found.webhooks.unwrap();
        assert!(webhooks.len() > 10);
        webhooks
            .into_iter()
            .all(|one| one.client_config.ca_bundle.map(|bundle| bundle.0) == Some(kept.clone()))
    };
    assert!(trusted(api.get("kargo").await.unwrap()));
    let again = Trust::open(world.client.clone(), "kargo", &[], now).await.unwrap();
    again.keep_up().await.unwrap();
    assert!(trusted(api.get("kargo").await.unwrap()));
}

#[tokio::test]
async fn the_server_is_reached_over_tls_under_its_own_authority() {
    let world = World::start().await;
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let server = format!("https://{}", listener.address());
    let hosts = vec!["127.0.0.1".to_owned()];
    let settings = Settings { certificate: Certificate::Own, hosts, ..Settings::new("kargo") };
    let ports = ports(&world.engine);
    let serving = start_on(listener, settings, server_client(&world.engine), ports).await.unwrap();
    let authority = serving.authority.unwrap().into_bytes();
    let client =
        Client::new(&Kubeconfig { path: PathBuf::new(), server, authority, token: String::new() });
    let body: Value = serde_json::from_str(&review(warehouse())).unwrap();
    let path = "/mutate-kargo-akuity-io-v1alpha1-warehouse";
    let reply = client.unwrap().json(Method::POST, path, &body).await.unwrap();
    assert_eq!((reply.status, &reply.json()["response"]["uid"]), (StatusCode::OK, &json!("u")));
    assert!(world.engine.stop().await);
}
