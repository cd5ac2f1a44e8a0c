//! Rows 132 and 133: Events in their two views, and the times of Leases.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    expect::{at, equal},
    namespace::Namespace,
    patience::within,
    world::World,
};

/// Both engines are started with Events that live 20 s and look for old ones every half minute at most.
const EXPIRY: Duration = Duration::from_secs(90);

pub(crate) async fn events(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    namespaces(world, &namespace).await?;
    core_view(world, &namespace).await?;
    new_view(world, &namespace).await?;
    expiry(world, &namespace).await
}

fn about(name: &str, involved: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "involvedObject": involved,
        "reason": "Tested", "message": "words", "type": "Normal", "count": 3, "source": {"component": "suite"},
        "firstTimestamp": "2024-01-02T03:04:05Z", "lastTimestamp": "2024-01-02T03:04:06Z"})
}

async fn namespaces(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    for (place, shown) in [(Some("other"), "other"), (None, "")] {
        let involved = json!({"kind": "Widget", "name": "a", "namespace": place});
        let reply = world.post(&namespace.core("events"), &about("e", involved)).await?;
        let message = format!("Invalid value: \"{shown}\": does not match event.namespace");
        reply.invalid(&[("involvedObject.namespace", "FieldValueInvalid", &message)])?;
    }
    let of_cluster = about(&world.unique("conf"), json!({"kind": "Gadget", "name": "a"}));
    world.create("/api/v1/namespaces/default/events", &of_cluster).await.map(drop)
}

fn new_events(namespace: &Namespace) -> String {
    namespace.collection("events.k8s.io/v1", "events")
}

async fn core_view(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let involved = json!({"kind": "Widget", "name": "a", "namespace": namespace.name});
    let created = world.create(&namespace.core("events"), &about("core", involved.clone())).await?;
    at(&created, "/eventTime", Value::Null)?;
    at(&created, "/reportingComponent", "")?;
    let patch = json!({"count": 4, "message": "more words"});
    let patched =
        world.patch("strategic-merge", &namespace.core("events/core"), &patch).await?.is(200)?;
    at(&patched, "/involvedObject", involved.clone())?;
    let seen = world.read(&format!("{}/core", new_events(namespace))).await?;
    for (field, want) in [
        ("apiVersion", json!("events.k8s.io/v1")),
        ("regarding", involved),
        ("note", json!("more words")),
        ("reason", json!("Tested")),
        ("type", json!("Normal")),
        ("deprecatedCount", json!(4)),
        ("deprecatedSource", json!({"component": "suite"})),
        ("deprecatedFirstTimestamp", json!("2024-01-02T03:04:05Z")),
        ("deprecatedLastTimestamp", json!("2024-01-02T03:04:06Z")),
        ("eventTime", Value::Null),
    ] {
        equal(field, &seen[field], &want)?;
    }
    equal("uid", &seen["metadata"]["uid"], &created["metadata"]["uid"])
}

async fn new_view(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let regarding = json!({"kind": "Widget", "name": "a", "namespace": namespace.name});
    let event = json!({"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "new"},
        "regarding": regarding, "eventTime": "2024-01-02T03:04:05.000000Z", "action": "Testing",
        "reportingController": "conf.example.com/suite", "reportingInstance": "one", "reason": "Tested",
        "type": "Normal", "note": "words"});
    world.create(&new_events(namespace), &event).await?;
    let seen = world.read(&namespace.core("events/new")).await?;
    for (field, want) in [
        ("involvedObject", regarding.clone()),
        ("message", json!("words")),
        ("source", json!({})),
        ("firstTimestamp", Value::Null),
        ("lastTimestamp", Value::Null),
        ("eventTime", json!("2024-01-02T03:04:05.000000Z")),
        ("reportingComponent", json!("conf.example.com/suite")),
        ("reportingInstance", json!("one")),
        ("action", json!("Testing")),
    ] {
        equal(field, &seen[field], &want)?;
    }
    let bare = json!({"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "bare"},
        "regarding": regarding});
    world.post(&new_events(namespace), &bare).await?.invalid(&[
        ("eventTime", "FieldValueRequired", "Required value"),
        ("type", "FieldValueInvalid", "Invalid value: \"\": has invalid value: "),
    ])?;
    Ok(())
}

/// An Event goes by itself, and watchers see it.
async fn expiry(world: &World<'_>, namespace: &Namespace) -> Result<()> {
    let list = world.read(&namespace.core("events")).await?;
    let query = format!("resourceVersion={}", crate::expect::revision(&list)?);
    let mut watch = world.watch(&namespace.core("events"), &query).await?;
    let first = watch.next_within(EXPIRY).await?;
    equal("type", &first.kind.as_str(), &"DELETED")?;
    let path = namespace.core("events");
    within(EXPIRY, async || at(&world.read(&path).await?, "/items", json!([]))).await
}

pub(crate) async fn leases(world: &World<'_>) -> Result<()> {
    let namespace = world.namespace().await?;
    let path = namespace.collection("coordination.k8s.io/v1", "leases");
    let lease = |name: &str, spec: Value| json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}, "spec": spec});
    let spec = json!({"holderIdentity": "h", "leaseDurationSeconds": 15, "leaseTransitions": 0,
        "acquireTime": "2024-01-02T03:04:05.000000Z", "renewTime": "2024-01-02T03:04:05.123456Z"});
    let created = world.create(&path, &lease("a", spec.clone())).await?;
    at(&created, "/spec", spec.clone())?;
    at(&world.read(&format!("{path}/a")).await?, "/spec", spec)?;
    let zone = json!({"renewTime": "2024-01-02T03:04:05.000000+02:00"});
    let created = world.create(&path, &lease("zone", zone)).await?;
    at(&created, "/spec/renewTime", "2024-01-02T01:04:05.000000Z")?;
    for time in ["2024-01-02T03:04:05.5Z", "2024-01-02T03:04:05Z", "yesterday"] {
        let reply = world.post(&path, &lease("bad", json!({"renewTime": time}))).await?;
        reply.fails_with(
            400,
            "BadRequest",
            "Lease in version \"v1\" cannot be handled as a Lease: ",
        )?;
    }
    let reply = world
        .post(&path, &lease("bad", json!({"leaseDurationSeconds": 0, "leaseTransitions": -1})))
        .await?;
    reply.invalid(&[
        (
            "spec.leaseDurationSeconds",
            "FieldValueInvalid",
            "Invalid value: 0: must be greater than 0",
        ),
        (
            "spec.leaseTransitions",
            "FieldValueInvalid",
            "Invalid value: -1: must be greater than or equal to 0",
        ),
    ])?;
    Ok(())
}
