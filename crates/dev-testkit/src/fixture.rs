//! The kinds that tests of API servers work on, in the group `conf.example.com`: Widget, namespaced, with a status
//! subresource and every feature of schemas; Gadget, cluster-scoped, whose status is an ordinary field.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use http::Method;
use serde_json::{Value, json};

use crate::Client;

/// The path of CRDs.
pub const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// The path of all Widgets.
pub const WIDGETS: &str = "/apis/conf.example.com/v1/widgets";
/// The path of Gadgets.
pub const GADGETS: &str = "/apis/conf.example.com/v1/gadgets";

/// How long a server may take to serve a new kind.
const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(100);

/// Installs both CRDs, or brings those of an earlier run up to date, and waits until they are served.
pub async fn install(client: &Client) -> Result<()> {
    for crd in [widget_crd(), gadget_crd()] {
        upsert(client, crd).await?;
    }
    for path in [WIDGETS, GADGETS] {
        served(client, path).await?;
    }
    Ok(())
}

/// Waits until a collection can be listed: kube-apiserver serves a new CRD a moment after its create call.
pub async fn served(client: &Client, path: &str) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let reply = client.get(path).await?;
        if reply.status == 200 {
            return Ok(());
        }
        ensure!(Instant::now() < deadline, "{path} is not served: {}", reply.text());
        tokio::time::sleep(PAUSE).await;
    }
}

async fn upsert(client: &Client, mut crd: Value) -> Result<()> {
    let created = client.json(Method::POST, CRDS, &crd).await?;
    if created.status == 201 {
        return Ok(());
    }
    ensure!(created.status == 409, "create a CRD: {}", created.text());
    let name = crd.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let path = format!("{CRDS}/{name}");
    let existing = client.get(&path).await?.json();
    let revision = existing.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
    if let Some(metadata) = crd.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion".into(), revision);
    }
    let replaced = client.json(Method::PUT, &path, &crd).await?;
    ensure!(replaced.status == 200, "replace {path}: {}", replaced.text());
    Ok(())
}

fn widget_crd() -> Value {
    let version = json!({
        "name": "v1", "served": true, "storage": true,
        "subresources": {"status": {}},
        "selectableFields": [{"jsonPath": ".spec.color"}],
        "additionalPrinterColumns": [
            {"name": "Color", "type": "string", "jsonPath": ".spec.color"},
            {"name": "Count", "type": "integer", "jsonPath": ".spec.count", "description": "How many"},
            {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
            {"name": "Note", "type": "string", "jsonPath": ".spec.note", "priority": 1},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ],
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {
            "spec": widget_spec(), "status": widget_status()}}},
    });
    let names = json!({"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wd"],
        "categories": ["conformance"]});
    crd("Namespaced", names, version)
}

fn gadget_crd() -> Value {
    let version = json!({
        "name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {
            "spec": {"type": "object", "properties": {"size": {"type": "integer"}}},
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}}}}},
    });
    crd("Cluster", json!({"plural": "gadgets", "kind": "Gadget"}), version)
}

/// A CRD of the fixture's group with one version; also for CRDs of a test's own.
pub fn crd(scope: &str, names: Value, version: Value) -> Value {
    let plural = names.get("plural").and_then(Value::as_str).unwrap_or_default();
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.conf.example.com")},
        "spec": {"group": "conf.example.com", "scope": scope, "names": names, "versions": [version]}})
}

fn widget_spec() -> Value {
    let mut properties = scalars();
    for part in [lists(), open_ended(), rules()] {
        if let (Some(properties), Value::Object(part)) = (properties.as_object_mut(), part) {
            properties.extend(part);
        }
    }
    json!({"type": "object", "required": ["color"], "properties": properties,
        "x-kubernetes-validations": [
            {"rule": "!has(self.min) || !has(self.max) || self.min <= self.max",
             "message": "min must be at most max"}]})
}

fn scalars() -> Value {
    json!({
        "color": {"type": "string", "enum": ["red", "green", "blue"]},
        "size": {"type": "string", "default": "medium"},
        "count": {"type": "integer", "minimum": 0, "maximum": 100},
        "ratio": {"type": "number"},
        "big": {"type": "integer", "format": "int64"},
        "on": {"type": "boolean"},
        "note": {"type": "string", "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 10},
        "when": {"type": "string", "format": "date-time"},
        "every": {"type": "string", "format": "duration"},
        "port": {"x-kubernetes-int-or-string": true},
        "maybe": {"type": "string", "nullable": true},
        "plain": {"type": "string"},
        "sub": {"type": "object", "properties": {
            "a": {"type": "string"}, "depth": {"type": "integer", "default": 3}}},
    })
}

fn lists() -> Value {
    json!({
        "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
        "items": {"type": "array", "maxItems": 3, "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object", "required": ["name"],
                "properties": {"name": {"type": "string"}, "value": {"type": "string"}}}},
        "path": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "string"}},
    })
}

fn open_ended() -> Value {
    json!({
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "any": {"x-kubernetes-preserve-unknown-fields": true},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "embedded": {"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true},
    })
}

/// Fields with CEL rules: with a message, without one, with an expression for it, with a reason, with a path.
fn rules() -> Value {
    json!({
        "min": {"type": "integer"},
        "max": {"type": "integer"},
        "fixed": {"type": "string", "x-kubernetes-validations": [
            {"rule": "self == oldSelf", "message": "fixed is immutable"}]},
        "silent": {"type": "integer", "x-kubernetes-validations": [{"rule": "self < 10"}]},
        "spoken": {"type": "string", "maxLength": 20, "x-kubernetes-validations": [
            {"rule": "self != 'bad'", "messageExpression": "'got ' + self", "message": "unused"}]},
        "barred": {"type": "string", "maxLength": 20, "x-kubernetes-validations": [
            {"rule": "self != 'bad'", "message": "is barred", "reason": "FieldValueForbidden"}]},
        "pair": {"type": "object", "properties": {
                "left": {"type": "string", "maxLength": 20}, "right": {"type": "string", "maxLength": 20}},
            "x-kubernetes-validations": [{"rule": "self.left.startsWith('x')", "fieldPath": ".left",
                "message": "left must start with x"}]},
    })
}

fn widget_status() -> Value {
    json!({"type": "object", "properties": {
        "phase": {"type": "string"},
        "observed": {"type": "integer"},
        "conditions": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
            "items": {"type": "object", "required": ["type", "status"], "properties": {
                "type": {"type": "string"}, "status": {"type": "string"}, "message": {"type": "string"}}}},
    }})
}
