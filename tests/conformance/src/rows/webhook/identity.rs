//! What a webhook may not change, and whom it may be.

use anyhow::{Result, ensure};
use dev_testkit::server::webhook::{WebhookAnswer, allow, patch};
use serde_json::{Value, json};

use super::stand::{MUTATING, Stand, VALIDATING};
use crate::{expect::at, namespace::widget};

fn set(path: &str, value: &Value) -> Value {
    json!([{"op": "add", "path": path, "value": value}])
}

pub(super) async fn updates(stand: &Stand<'_, '_>) -> Result<()> {
    let world = stand.world;
    world.create(&stand.namespace.widgets(), &widget("w")).await?;
    stand.answer("m", |_| allow());
    let rules = json!({"rules": [{"operations": ["*"], "apiGroups": ["conf.example.com"],
        "apiVersions": ["v1"], "resources": ["widgets/*"]}]});
    stand.configure(MUTATING, "conf", vec![stand.hook("m", rules)]).await?;
    let path = stand.namespace.widget("w");
    let change = json!({"spec": {"color": "blue"}});
    let cases = [
        ("/metadata/name", json!("other"), 422, "field is immutable"),
        (
            "/metadata/uid",
            json!("other"),
            422,
            "metadata.uid: Invalid value: \"other\": field is immutable",
        ),
        (
            "/metadata/namespace",
            json!("kube-system"),
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        ("/metadata/resourceVersion", json!("1"), 409, "the object has been modified"),
    ];
    for (place, value, code, message) in cases {
        let operations = set(place, &value);
        stand.answer("m", move |_| patch(&operations));
        let answer = world.merge(&path, &change).await?;
        let body = answer.is(code)?;
        let told = body["message"].as_str().unwrap_or_default();
        ensure!(told.contains(message), "{place}: {answer}, want {message:?}");
    }
    let status = set("/status", &json!({"phase": "hooked"}));
    stand.answer("m", move |_| patch(&status));
    let changed = world.merge(&path, &change).await?.is(200)?;
    at(&changed, "/status", Value::Null)?;
    let spec = set("/spec/color", &json!("green"));
    stand.answer("m", move |_| patch(&spec));
    let phase = json!({"status": {"phase": "x"}});
    let changed = world.merge(&format!("{path}/status"), &phase).await?.is(200)?;
    at(&changed, "/spec/color", "blue")?;
    at(&changed, "/status/phase", "x")
}

pub(super) async fn creates(stand: &Stand<'_, '_>) -> Result<()> {
    let world = stand.world;
    let widgets = stand.namespace.widgets();
    stand.configure(MUTATING, "conf", vec![stand.hook("m", json!({}))]).await?;
    let operations = json!([
        {"op": "add", "path": "/metadata/name", "value": "renamed"},
        {"op": "add", "path": "/metadata/uid", "value": "mine"},
        {"op": "add", "path": "/metadata/generation", "value": 9},
        {"op": "add", "path": "/status", "value": {"phase": "hooked"}},
    ]);
    stand.answer("m", move |_| patch(&operations));
    let created = world.create(&widgets, &widget("w")).await?;
    at(&created, "/metadata/name", "renamed")?;
    at(&created, "/metadata/generation", 1)?;
    at(&created, "/status", Value::Null)?;
    ensure!(created["metadata"]["uid"] != "mine", "the webhook chose the uid: {created}");
    let moved = set("/metadata/namespace", &json!("kube-system"));
    stand.answer("m", move |_| patch(&moved));
    let refused = world.post(&widgets, &widget("v")).await?;
    refused.fails_with(400, "BadRequest", "does not match the namespace")?;
    stand.answer("m", |_| patch(&json!([{"op": "add", "path": "/spec/plain", "value": "x"}])));
    world.create(&widgets, &widget("u")).await?;
    let refused = world.delete(&stand.namespace.widget("u")).await?;
    let message = "Internal error occurred: admission webhook \"m.conf.example.com\" attempted to modify the object, which is not supported for this operation";
    refused.fails_saying(500, "InternalError", message).map(drop)
}

/// Certificates are verified, redirects lead nowhere, and webhooks have no say in their own configurations.
pub(super) async fn endpoints(stand: &Stand<'_, '_>) -> Result<()> {
    let world = stand.world;
    stand.answer("v", |_| WebhookAnswer::Response(json!({"allowed": false})));
    let mut untrusted = stand.hook("v", json!({}));
    if let Some(client) = untrusted["clientConfig"].as_object_mut() {
        client.remove("caBundle");
    }
    let rules = json!([{"operations": ["*"], "apiGroups": ["admissionregistration.k8s.io"],
        "apiVersions": ["*"], "resources": ["*/*"]}]);
    let everything = stand.hook("v2", json!({"rules": rules, "namespaceSelector": {}}));
    stand.configure(VALIDATING, "conf", vec![untrusted, everything]).await?;
    let refused = world.post(&stand.namespace.widgets(), &widget("w")).await?;
    refused.fails_with(500, "InternalError", "failed to call webhook: Post \"https://")?;
    ensure!(stand.asked("v") == 0, "a webhook without a trusted certificate was asked");
    stand.configure(MUTATING, "conf", vec![]).await?;
    ensure!(stand.asked("v2") == 0, "a webhook was asked about a webhook configuration");
    Ok(())
}
