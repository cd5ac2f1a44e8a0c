//! A small controller, right and wrong: each Namespace with an annotation has a ConfigMap that says the same.
//!
//! The right one looks at what is there and repeats what failed. The wrong one notes what it has seen, to save work, before
//! the work is done. The frame must pass the one and find the other.

use std::{collections::BTreeSet, pin::pin, time::Duration};

use dev_sim::{Failure, Fault, ProcessCx, Rates, Scenario, Sim, View};
use futures::TryStreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::{
    Api,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
};
use serde_json::{Value, json};

use crate::support::{hold, hold_in_replay, insist};

pub(crate) const VALUE: &str = "example.com/value";
const NAMESPACES: usize = 4;

/// How the controller goes about its work.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// Looks at everything again after a failure.
    Careful,
    /// Takes what it has seen for done.
    Careless,
}

#[test]
fn a_controller_that_repeats_what_failed_holds() {
    hold("a_controller_that_repeats_what_failed_holds", || scenario(Manner::Careful));
}

#[test]
fn a_controller_that_loses_updates_is_found() {
    let simulation = Sim::seeds(0..50).scenario("planted", || scenario(Manner::Careless));
    let failure: Box<Failure> = simulation.run().expect_err("no seed finds the lost update");
    assert!(failure.reason.contains("every mirror says what its namespace says"), "{failure}");
    assert!(failure.to_string().contains(&format!("SIM_SEED={}", failure.seed)));
    // The seed that was named shows the same failure again, to the byte.
    let again = simulation.replay(failure.seed).unwrap_err();
    assert_eq!(again.reason, failure.reason);
    assert!(again.audit == failure.audit && again.story == failure.story);
}

#[test]
fn one_seed_gives_one_audit_log() {
    hold_in_replay("mirror", || scenario(Manner::Careful));
}

#[test]
fn every_fault_strikes_sooner_or_later() {
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "leader", "namespace": "default"},
        "spec": {"holderIdentity": "mirror-0", "leaseDurationSeconds": 15},
    });
    let build = || scenario(Manner::Careful).faults(Rates::all()).objects(vec![lease.clone()]);
    let simulation = Sim::seeds(0..0).scenario("mirror", build);
    let mut missing: BTreeSet<Fault> = Rates::all().faults().collect();
    for seed in 0..100 {
        if missing.is_empty() {
            return;
        }
        let run = simulation.replay(seed).unwrap_or_else(|failure| panic!("{failure}"));
        missing.retain(|fault| !run.struck.contains_key(fault));
    }
    panic!("never seen: {missing:?}");
}

#[test]
fn a_component_that_panics_fails_the_run() {
    let scenario = || {
        let fails = |cx: ProcessCx| async move {
            cx.pause(Duration::from_secs(1)).await;
            panic!("out of luck");
        };
        let waits = |cx: ProcessCx| async move { cx.clock().sleep(Duration::from_mins(1)).await };
        Scenario::new().component("unlucky", 1, fails).actor("user", waits)
    };
    let failure = Sim::seeds(0..1).scenario("panics", scenario).run().unwrap_err();
    assert_eq!(failure.reason, "unlucky-0: main panicked: out of luck");
}

#[test]
fn a_world_that_never_rests_fails_the_run() {
    let scenario = || {
        let restless = |cx: ProcessCx| async move {
            let maps: Api<ConfigMap> = Api::default_namespaced(cx.client());
            for number in 0_u64.. {
                let patch = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"n": number.to_string()}});
                let params = PatchParams::default();
                // Whether it works does not matter: the next one changes the object again.
                let _ = maps.patch("counter", &params, &Patch::Merge(&patch)).await;
                let _ = maps.create(&PostParams::default(), &named("counter")).await;
                cx.pause(Duration::from_secs(30)).await;
            }
        };
        let patience = Duration::from_mins(30);
        Scenario::new().component("restless", 1, restless).patience(patience)
    };
    let failure = Sim::seeds(0..1).scenario("restless", scenario).run().unwrap_err();
    assert_eq!(failure.reason, "the world does not come to rest after 30 min");
}

fn scenario(manner: Manner) -> Scenario {
    // Two careful ones must not get into each other's way; of two careless ones each would hide what the other loses.
    let replicas = if manner == Manner::Careful { 2 } else { 1 };
    Scenario::new()
        .faults(Rates::all())
        .component("mirror", replicas, move |cx| async move {
            let mut seen = BTreeSet::new();
            loop {
                // A watch that broke, or a request that failed: from the start again, after a moment.
                let _ = follow(&cx, manner, &mut seen).await;
                cx.pause(Duration::from_secs(5)).await;
            }
        })
        .actor("user", churn)
        .finally("every mirror says what its namespace says", mirrors_agree)
}

/// Lists, then follows the changes until something breaks.
async fn follow(cx: &ProcessCx, manner: Manner, seen: &mut BTreeSet<String>) -> kube::Result<()> {
    let namespaces: Api<Namespace> = Api::all(cx.client());
    let list = namespaces.list(&ListParams::default()).await?;
    for namespace in &list.items {
        settle(cx, manner, seen, namespace).await?;
    }
    let version = list.metadata.resource_version.unwrap_or_default();
    let events = namespaces.watch(&WatchParams::default(), &version).await?;
    let mut events = pin!(events);
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(namespace) | WatchEvent::Modified(namespace) => {
                settle(cx, manner, seen, &namespace).await?;
            }
            WatchEvent::Deleted(_) | WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(_) => return Ok(()),
        }
    }
    Ok(())
}

async fn settle(
    cx: &ProcessCx,
    manner: Manner,
    seen: &mut BTreeSet<String>,
    namespace: &Namespace,
) -> kube::Result<()> {
    let version = namespace.metadata.resource_version.clone().unwrap_or_default();
    if manner == Manner::Careless && !seen.insert(version) {
        return Ok(());
    }
    write_mirror(cx, namespace).await
}

/// Brings the mirror of a namespace in step, from what the namespace says now.
async fn write_mirror(cx: &ProcessCx, seen: &Namespace) -> kube::Result<()> {
    let name = seen.metadata.name.clone().unwrap_or_default();
    let namespaces: Api<Namespace> = Api::all(cx.client());
    let Some(namespace) = namespaces.get_opt(&name).await? else { return Ok(()) };
    let annotations = namespace.metadata.annotations.unwrap_or_default();
    let Some(value) = annotations.get(VALUE) else { return Ok(()) };
    if namespace.metadata.deletion_timestamp.is_some() {
        return Ok(());
    }
    let maps: Api<ConfigMap> = Api::namespaced(cx.client(), &name);
    let mut map = named("mirror");
    map.data = Some([("value".to_owned(), value.clone())].into());
    match maps.get_opt("mirror").await? {
        Some(found) if found.data == map.data => Ok(()),
        Some(found) => {
            map.metadata.resource_version = found.metadata.resource_version;
            maps.replace("mirror", &PostParams::default(), &map).await.map(|_| ())
        }
        None => maps.create(&PostParams::default(), &map).await.map(|_| ()),
    }
}

/// A user who makes, changes and deletes namespaces.
pub(crate) async fn churn(cx: ProcessCx) {
    let namespaces: Api<Namespace> = Api::all(cx.client());
    for turn in 0..25 {
        let name = format!("n{}", cx.dice().index(NAMESPACES));
        let annotations = json!({VALUE: format!("{turn}")});
        if cx.dice().chance(200) {
            let params = DeleteParams::default();
            insist(&cx, || namespaces.delete(&name, &params)).await;
        } else {
            let patch = Patch::Merge(json!({"metadata": {"annotations": annotations}}));
            let params = PatchParams::default();
            let patched = insist(&cx, || namespaces.patch(&name, &params, &patch)).await;
            if patched.is_none() {
                let fresh = json!({"metadata": {"name": name, "annotations": annotations}});
                let fresh: Namespace = serde_json::from_value(fresh).unwrap();
                // Refused while the old one is going; another turn will come.
                let _ = namespaces.create(&PostParams::default(), &fresh).await;
            }
        }
        cx.pause(Duration::from_secs(30)).await;
    }
}

pub(crate) fn mirrors_agree(view: &View<'_>) -> Result<(), String> {
    for namespace in view.list("", "namespaces") {
        let name = namespace["metadata"]["name"].as_str().unwrap_or_default();
        let Some(wanted) = namespace["metadata"]["annotations"][VALUE].as_str() else { continue };
        if namespace["metadata"]["deletionTimestamp"].is_string() {
            return Err(format!("{name} still waits to be deleted"));
        }
        let mirror = view.get("", "configmaps", name, "mirror").unwrap_or(Value::Null);
        if mirror["data"]["value"] != wanted {
            return Err(format!("{name} says {wanted}, its mirror {}", mirror["data"]));
        }
    }
    Ok(())
}

pub(crate) fn named(name: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name}})).unwrap()
}
