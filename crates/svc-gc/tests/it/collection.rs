//! What a run deletes.

use std::time::Duration;

use core_rules::retention::Reckoning;
use serde_json::json;
use svc_gc::{Mode, Settings};

use crate::world::{World, keeping};

fn holding(freight: &str) -> serde_json::Value {
    let items = json!({"Warehouse/w": {"name": freight}});
    json!({"freightHistory": [{"id": "a", "items": items}]})
}

/// A Project with six pieces of Freight, `f0` the oldest, of which a Stage holds `f1`.
async fn with_freight() -> World {
    let world = World::start().await;
    world.project("demo").await;
    world.stage("demo", "test", holding("f1")).await;
    for number in 0..6 {
        world.freight("demo", &format!("f{number}")).await;
    }
    world
}

#[tokio::test]
async fn what_is_in_use_stays_and_of_the_rest_the_newest() {
    let world = with_freight().await;
    let report = world.collect(keeping(2)).await.unwrap();
    assert_eq!(report.check(), Ok(()));
    let gone: Vec<_> = report.items.iter().map(ToString::to_string).collect();
    assert_eq!(gone, ["Freight demo/f0", "Freight demo/f2", "Freight demo/f3"]);
    assert_eq!(world.freight_names("demo").await, ["f1", "f4", "f5"]);
    assert!(world.collect(keeping(2)).await.unwrap().items.is_empty());
}

#[tokio::test]
async fn by_position_old_freight_in_use_keeps_all_that_is_newer() {
    let world = with_freight().await;
    let mut settings = keeping(0);
    settings.policy.reckoning = Reckoning::ByPosition;
    world.collect(settings).await.unwrap();
    assert_eq!(world.freight_names("demo").await, ["f1", "f2", "f3", "f4", "f5"]);
}

#[tokio::test]
async fn a_dry_run_names_what_would_go_and_leaves_it() {
    let world = with_freight().await;
    let settings = Settings { mode: Mode::DryRun, ..keeping(2) };
    let report = world.collect(settings).await.unwrap();
    assert_eq!(report.items.len(), 3);
    assert_eq!(world.freight_names("demo").await.len(), 6);
    assert!(world.metrics.families().iter().all(|family| family.samples.is_empty()));
}

#[tokio::test]
async fn nothing_goes_before_its_time() {
    let world = with_freight().await;
    let mut settings = keeping(0);
    settings.policy.freight.min_age = Duration::from_hours(336);
    assert!(world.collect(settings.clone()).await.unwrap().items.is_empty());
    world.clock.advance(Duration::from_hours(337));
    assert_eq!(world.collect(settings).await.unwrap().items.len(), 5);
}

#[tokio::test]
async fn finished_promotions_go_and_their_freight_stays_while_one_is_under_way() {
    let world = World::start().await;
    world.project("demo").await;
    let last = json!({"name": "p3", "finishedAt": "2036-01-01T00:00:00Z"});
    world.stage("demo", "test", json!({"lastPromotion": last})).await;
    world.freight("demo", "f0").await;
    world.freight("demo", "f1").await;
    for (name, freight, phase) in [
        ("p0", "f0", "Succeeded"),
        ("p1", "f1", "Running"),
        ("p2", "f0", "Aborted"),
        ("p3", "f0", "Failed"),
    ] {
        world.promotion("demo", name, freight, phase).await;
    }
    let report = world.collect(keeping(0)).await.unwrap();
    assert_eq!(report.check(), Ok(()));
    assert_eq!(world.promotion_names("demo").await, ["p1", "p3"]);
    assert_eq!(world.freight_names("demo").await, ["f1"]);
    let deleted = &world.metrics.families()[0];
    assert_eq!(deleted.name, "kargo_gc_deleted_total");
    let labels = |kind: &str| vec![("kind", kind.to_owned()), ("project", "demo".to_owned())];
    assert_eq!(deleted.samples[0].labels, labels("Freight"));
    assert_eq!(deleted.samples[1].labels, labels("Promotion"));
    assert!((deleted.samples[1].value - 2.0).abs() < f64::EPSILON);
}

#[tokio::test]
async fn lists_of_many_pages_are_read_to_the_end() {
    let world = World::start().await;
    world.project("demo").await;
    for number in 0..1203 {
        world.freight("demo", &format!("f{number:04}")).await;
    }
    let report = world.collect(keeping(3)).await.unwrap();
    assert_eq!((report.items.len(), report.failures.len()), (1200, 0));
    assert_eq!(world.freight_names("demo").await, ["f1200", "f1201", "f1202"]);
}

#[tokio::test]
async fn analysis_runs_of_stages_go_where_the_kind_is_there() {
    let world = World::start().await;
    world.project("demo").await;
    let verified =
        json!([{"id": "v", "analysisRun": {"name": "r0", "namespace": "demo", "phase": ""}}]);
    let status = json!({"freightHistory": [{"id": "a", "verificationHistory": verified}]});
    world.stage("demo", "test", status).await;
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = json!({"name": "v1alpha1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"kind": "AnalysisRun", "listKind": "AnalysisRunList", "plural": "analysisruns", "singular": "analysisrun"});
    world
        .create("", "apiextensions.k8s.io/v1", "CustomResourceDefinition", json!({
            "metadata": {"name": "analysisruns.argoproj.io"},
            "spec": {"group": "argoproj.io", "scope": "Namespaced", "names": names, "versions": [version]},
        }))
        .await;
    for (name, stage, phase) in [
        ("r0", Some("test"), "Successful"),
        ("r1", Some("test"), "Failed"),
        ("r2", Some("test"), "Running"),
        ("somebody-elses", None, "Successful"),
    ] {
        let labels = stage.map(|stage| json!({"kargo.akuity.io/stage": stage}));
        let metadata = json!({"name": name, "labels": labels.unwrap_or(json!({}))});
        let run = json!({"metadata": metadata, "status": {"phase": phase}});
        world.create("demo", "argoproj.io/v1alpha1", "AnalysisRun", run).await;
    }
    let report = world.collect(keeping(0)).await.unwrap();
    assert_eq!(report.check(), Ok(()));
    let gone: Vec<_> = report.items.iter().map(ToString::to_string).collect();
    assert_eq!(gone, ["AnalysisRun demo/r1"]);
}
