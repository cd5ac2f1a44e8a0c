//! What a webhook is told.

use anyhow::{Context, Result, ensure};
use dev_testkit::server::webhook::{WebhookAnswer, allow, patch};
use serde_json::{Value, json};

use super::stand::{MUTATING, Stand, VALIDATING};
use crate::{
    expect::{at, equal, text},
    namespace::widget,
    rows::account::{Account, token_path, token_request},
};

async fn watch_all(stand: &Stand<'_, '_>) -> Result<()> {
    for (name, collection) in [("m", MUTATING), ("v", VALIDATING)] {
        stand.answer(name, |_| allow());
        stand.configure(collection, "conf", vec![stand.hook(name, json!({}))]).await?;
    }
    Ok(())
}

pub(super) async fn create(stand: &Stand<'_, '_>) -> Result<()> {
    watch_all(stand).await?;
    let path = format!("{}?fieldManager=me", stand.namespace.widgets());
    let created = stand.world.create(&path, &widget("w")).await?;
    let call = stand.calls("m").pop().context("the webhook was not asked")?;
    equal("query", &call.query.as_str(), &"timeout=10s")?;
    equal("User-Agent", &call.user_agent.as_str(), &"kube-apiserver-admission")?;
    at(&call.review, "/apiVersion", "admission.k8s.io/v1")?;
    at(&call.review, "/kind", "AdmissionReview")?;
    let mut request = call.request().clone();
    let object = take(&mut request, "object");
    at(&object, "/spec", json!({"color": "red", "size": "medium"}))?;
    at(&object, "/metadata/namespace", stand.namespace.name.as_str())?;
    at(&object, "/metadata/uid", Value::Null)?;
    text(&take(&mut request, "userInfo"), "/username")?;
    ensure!(take(&mut request, "uid").is_string(), "no uid in {request}");
    let kind = json!({"group": "conf.example.com", "version": "v1", "kind": "Widget"});
    let resource = json!({"group": "conf.example.com", "version": "v1", "resource": "widgets"});
    let mut options = take(&mut request, "options");
    take(&mut options, "fieldValidation");
    equal(
        "options",
        &options,
        &json!({"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "me"}),
    )?;
    let want = json!({
        "kind": kind, "requestKind": kind, "resource": resource, "requestResource": resource,
        "name": "w", "namespace": stand.namespace.name, "operation": "CREATE", "oldObject": null,
        "dryRun": false,
    });
    equal("request", &request, &want)?;
    let validated = stand.request("v")?;
    at(&validated, "/object/metadata/uid", created["metadata"]["uid"].clone())?;
    let mut generated = widget("");
    generated["metadata"] = json!({"generateName": "g-"});
    let created = stand.world.create(&stand.namespace.widgets(), &generated).await?;
    at(&stand.request("m")?, "/name", Value::Null)?;
    at(&stand.request("v")?, "/name", created["metadata"]["name"].clone())
}

fn take(object: &mut Value, key: &str) -> Value {
    object.as_object_mut().and_then(|members| members.remove(key)).unwrap_or_default()
}

pub(super) async fn update_and_delete(stand: &Stand<'_, '_>) -> Result<()> {
    let created = stand.world.create(&stand.namespace.widgets(), &widget("w")).await?;
    watch_all(stand).await?;
    let path = stand.namespace.widget("w");
    stand.world.put(&path, &created).await?.is(200)?;
    let request = stand.request("v")?;
    at(&request, "/operation", "UPDATE")?;
    at(&request, "/options/kind", "UpdateOptions")?;
    at(&request, "/oldObject/metadata/uid", created["metadata"]["uid"].clone())?;
    stand.world.merge(&path, &json!({"spec": {"color": "blue"}})).await?.is(200)?;
    let request = stand.request("v")?;
    at(&request, "/operation", "UPDATE")?;
    at(&request, "/options/kind", "UpdateOptions")?;
    at(&request, "/object/spec/color", "blue")?;
    at(&request, "/oldObject/spec/color", "red")?;
    stand.requests("m");
    let options = json!({"propagationPolicy": "Background"});
    stand.world.delete_with(&path, &options).await?.is(200)?;
    for name in ["m", "v"] {
        let request = stand.request(name)?;
        at(&request, "/operation", "DELETE")?;
        at(&request, "/name", "w")?;
        at(&request, "/object", Value::Null)?;
        at(&request, "/oldObject/spec/color", "blue")?;
        at(&request, "/options/kind", "DeleteOptions")?;
        at(&request, "/options/apiVersion", "meta.k8s.io/v1")?;
        at(&request, "/options/propagationPolicy", "Background")?;
    }
    Ok(())
}

pub(super) async fn collection_and_dry_run(stand: &Stand<'_, '_>) -> Result<()> {
    let widgets = stand.namespace.widgets();
    for name in ["a", "b"] {
        stand.world.create(&widgets, &widget(name)).await?;
    }
    watch_all(stand).await?;
    stand.world.create(&format!("{widgets}?dryRun=All"), &widget("c")).await?;
    let request = stand.request("v")?;
    at(&request, "/dryRun", true)?;
    at(&request, "/options/dryRun", json!(["All"]))?;
    stand.requests("m");
    stand.world.get(&widgets).await?.is(200)?;
    stand.world.delete(&widgets).await?.is(200)?;
    for name in ["m", "v"] {
        let requests = stand.requests(name);
        ensure!(requests.len() == 2, "{name} was asked {} times, want twice", requests.len());
        for request in requests {
            at(&request, "/operation", "DELETE")?;
            at(&request, "/name", Value::Null)?;
            text(&request, "/oldObject/metadata/name")?;
        }
    }
    Ok(())
}

pub(super) async fn namespaces(stand: &Stand<'_, '_>) -> Result<()> {
    let world = stand.world;
    stand.answer("n", |_| allow());
    let label = world.unique("conf");
    let rules = json!([{"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"],
        "resources": ["namespaces"]}]);
    let selector = json!({"matchLabels": {"watched": label}});
    let hooks = vec![stand.hook("n", json!({"rules": rules, "namespaceSelector": selector}))];
    stand.configure(VALIDATING, "conf", hooks).await?;
    let name = world.unique("conf");
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": name, "labels": {"watched": label}}});
    world.create("/api/v1/namespaces", &namespace).await?;
    let path = format!("/api/v1/namespaces/{name}");
    world.merge(&path, &json!({"metadata": {"annotations": {"a": "b"}}})).await?.is(200)?;
    world.delete(&path).await?.is(200)?;
    let requests = stand.requests("n");
    ensure!(requests.len() >= 3, "asked {} times, want three times", requests.len());
    for (request, operation) in requests.iter().zip(["CREATE", "UPDATE", "DELETE"]) {
        at(request, "/operation", operation)?;
        at(request, "/name", name.as_str())?;
        at(request, "/namespace", name.as_str())?;
    }
    Ok(())
}

pub(super) async fn token_requests(stand: &Stand<'_, '_>) -> Result<()> {
    let account = Account::new(stand.world, &stand.namespace, "robot").await?;
    let rules = json!([{"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"],
        "resources": ["serviceaccounts/token"]}]);
    let end = json!([{"op": "replace", "path": "/spec/expirationSeconds", "value": 700}]);
    stand.answer("m", move |_| patch(&end));
    stand.answer("v", |_| allow());
    for (name, collection) in [("m", MUTATING), ("v", VALIDATING)] {
        let hook = stand.hook(name, json!({"rules": rules}));
        stand.configure(collection, "conf", vec![hook]).await?;
    }
    let path = token_path(&stand.namespace, "robot");
    let issued = stand.world.create(&path, &token_request(json!({}))).await?;
    at(&issued, "/spec/expirationSeconds", 700)?;
    let kind = json!({"group": "authentication.k8s.io", "version": "v1", "kind": "TokenRequest"});
    let resource = json!({"group": "", "version": "v1", "resource": "serviceaccounts"});
    let (told, validated) = (stand.request("m")?, stand.request("v")?);
    for request in [&told, &validated] {
        at(request, "/kind", kind.clone())?;
        at(request, "/requestKind", kind.clone())?;
        at(request, "/resource", resource.clone())?;
        at(request, "/subResource", "token")?;
        at(request, "/requestSubResource", "token")?;
        at(request, "/operation", "CREATE")?;
        at(request, "/name", "robot")?;
        at(request, "/namespace", stand.namespace.name.as_str())?;
        at(request, "/oldObject", Value::Null)?;
        at(request, "/object/kind", "TokenRequest")?;
        at(request, "/object/metadata/namespace", stand.namespace.name.as_str())?;
        at(request, "/object/status/expirationTimestamp", Value::Null)?;
    }
    let spec = json!({"audiences": null, "expirationSeconds": 3600, "boundObjectRef": null});
    at(&told, "/object/spec", spec)?;
    at(&validated, "/object/metadata/uid", account.uid.as_str())?;
    at(&validated, "/object/spec/audiences", issued["spec"]["audiences"].clone())?;
    let refusal = json!({"allowed": false, "status": {"code": 403, "message": "no tokens"}});
    stand.answer("v", move |_| WebhookAnswer::Response(refusal.clone()));
    let refused = stand.world.post(&path, &token_request(json!({}))).await?.is(403)?;
    let message = "admission webhook \"v.conf.example.com\" denied the request: no tokens";
    at(&refused, "/message", message)
}
