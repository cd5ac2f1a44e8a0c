//! What a run does when something is wrong.

use std::{num::NonZeroUsize, sync::Arc, time::Duration};

use api_kinds::Freight;
use core_rules::access::{Options, namespaces};
use kube::{
    Api,
    api::{Patch, PatchParams},
};
use serde_json::json;
use svc_gc::{Collector, Settings};

use crate::world::{World, keeping};

#[tokio::test]
async fn trouble_in_one_project_stops_no_other() {
    let world = World::start().await;
    for project in ["a", "b", "c"] {
        world.project(project).await;
        world.freight(project, "f").await;
    }
    let annotations = json!({"gc.kargo.akuity.io/max-retained-freight": "lots"});
    let metadata = json!({"name": "b", "annotations": annotations});
    world.kargo("b", "ProjectConfig", json!({ "metadata": metadata })).await;
    let report = world.collect(keeping(0)).await.unwrap();
    let text = report.check().unwrap_err().to_string();
    assert!(text.starts_with("1 failures in 1 of 3 Projects: b: ProjectConfig: "), "{text}");
    assert!(text.contains("max-retained-freight"), "{text}");
    assert!(world.freight_names("a").await.is_empty());
    assert_eq!(world.freight_names("b").await, ["f"]);
    assert!(world.freight_names("c").await.is_empty());
    let errors = &world.metrics.families()[1];
    assert_eq!(errors.samples[0].labels[1], ("project", "b".to_owned()));
}

#[tokio::test]
async fn a_project_has_the_limits_it_asks_for() {
    let world = World::start().await;
    world.project("demo").await;
    for number in 0..4 {
        world.freight("demo", &format!("f{number}")).await;
    }
    let annotations = json!({"gc.kargo.akuity.io/max-retained-freight": "3"});
    let metadata = json!({"name": "demo", "annotations": annotations});
    world.kargo("demo", "ProjectConfig", json!({ "metadata": metadata })).await;
    world.collect(keeping(0)).await.unwrap();
    assert_eq!(world.freight_names("demo").await, ["f1", "f2", "f3"]);
}

#[tokio::test]
async fn without_permission_to_list_projects_nothing_is_done() {
    let world = World::start_with(namespaces(&Options::default())).await;
    world.project("demo").await;
    world.freight("demo", "f").await;
    let refused = world.collect(keeping(0)).await.unwrap_err();
    assert!(refused.to_string().contains("forbidden"), "{refused}");
    assert_eq!(world.freight_names("demo").await, ["f"]);
}

#[tokio::test]
async fn namespaces_of_nobody_are_left_alone() {
    let world = World::start().await;
    world.create("", "v1", "Namespace", json!({"metadata": {"name": "plain"}})).await;
    world.freight("plain", "f").await;
    let report = world.collect(keeping(0)).await.unwrap();
    assert_eq!((report.projects, report.items.len()), (0, 0));
    assert_eq!(world.freight_names("plain").await, ["f"]);
}

#[tokio::test]
async fn what_changes_between_the_look_and_the_deletion_stays() {
    let world = World::start().await;
    world.project("demo").await;
    for number in 0..2 {
        world.freight("demo", &format!("f{number}")).await;
    }
    let settings = Settings { deletes_per_second: NonZeroUsize::MIN, ..keeping(0) };
    let clock = Arc::new(world.clock.clone());
    let collector =
        Collector::new(world.collector_client(), clock, settings, world.metrics.clone());
    let somebody = async {
        // The newer piece goes at once; the clock stands still before the turn of the other.
        while world.freight_names("demo").await.len() > 1 {
            tokio::task::yield_now().await;
        }
        let freight: Api<Freight> = Api::namespaced(world.engine.admin_client(), "demo");
        let approval = Patch::Merge(json!({"status": {"approvedFor": {"test": {}}}}));
        freight.patch_status("f0", &PatchParams::default(), &approval).await.unwrap();
        world.clock.advance(Duration::from_secs(1));
    };
    let (report, ()) = tokio::join!(collector.collect(), somebody);
    let report = report.unwrap();
    assert_eq!((report.items.len(), report.passed_over, report.failures.len()), (1, 1, 0));
    assert_eq!(world.freight_names("demo").await, ["f0"]);
}
