//! Row 135: kubectl, as its users run it, on built-in kinds and on a custom one.

mod script;
mod server_side;
mod steps;
mod waiting;

use std::os::unix::fs::PermissionsExt;

use anyhow::Result;
use futures::future::join_all;
use serde_json::json;

use self::script::{Step, play};
use super::tool::Tool;
use crate::{cases::Cases, namespace::config_map, patience::soon, world::World};

/// What `kubectl edit` runs instead of an editor; a second run changes nothing.
const EDITOR: &str =
    "#!/bin/sh\nsed -i -e 's/count: 3/count: 4/' -e 's/first: one/first: changed/' \"$1\"\n";

pub(crate) async fn matrix(world: &World<'_>) -> Result<()> {
    let kubectl = Tool::new(world, "kubectl").await?;
    for (name, content) in steps::FILES {
        kubectl.file(name, content)?;
    }
    kubectl.file("editor", EDITOR)?;
    std::fs::set_permissions(kubectl.home().join("editor"), PermissionsExt::from_mode(0o755))?;
    // kube-apiserver lists a new kind in its discovery documents a moment after it serves it.
    soon(async || kubectl.succeeds("default", "explain widgets").await).await?;
    let scripts = [
        steps::CUSTOM,
        steps::BUILT_IN,
        steps::SERVER,
        steps::ACCESS,
        steps::DESCRIPTIONS,
        server_side::FRESH,
        server_side::MOVED,
    ];
    let mut cases = Cases::default();
    for result in join_all(scripts.map(|steps| run(world, &kubectl, steps))).await {
        cases.note("script", result);
    }
    cases.note("events", events(world, &kubectl).await);
    cases.note("waiting", waiting::all(world, &kubectl).await);
    cases.finish()
}

async fn run(world: &World<'_>, kubectl: &Tool, steps: &[Step]) -> Result<()> {
    let namespace = world.namespace().await?;
    let account = namespace.core("serviceaccounts/default");
    soon(async || world.read(&account).await).await?;
    play(kubectl, &namespace.name, steps).await
}

async fn events(world: &World<'_>, kubectl: &Tool) -> Result<()> {
    let namespace = world.namespace().await?;
    let map = world.create(&namespace.core("configmaps"), &config_map("m", json!({}))).await?;
    let involved = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "m", "namespace": namespace.name,
        "uid": map["metadata"]["uid"]});
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e"}, "involvedObject": involved,
        "reason": "Tested", "message": "words", "type": "Normal", "count": 2, "source": {"component": "suite"},
        "firstTimestamp": "2024-01-02T03:04:05Z", "lastTimestamp": "2024-01-02T03:04:05Z"});
    world.create(&namespace.core("events"), &event).await?;
    play(kubectl, &namespace.name, steps::EVENTS).await
}
