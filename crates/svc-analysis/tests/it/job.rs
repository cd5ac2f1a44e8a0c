//! Metrics of Jobs.

use std::time::Duration;

use api_analysis::AnalysisRun;
use k8s_openapi::api::batch::v1::Job;
use kube::{
    Api, Client,
    api::{ListParams, Patch, PatchParams},
};
use serde_json::{Value, json};

use crate::{
    batch,
    world::{PROJECT, World, verdict, wait},
};

async fn world() -> World {
    let mut world = World::idle([api_analysis::crds(), vec![batch::kind()]].concat()).await;
    world.start_executor_with(&[], &batch::with_jobs);
    world
}

fn spec(fields: Value) -> Value {
    let container = json!({"name": "c", "image": "i", "command": ["check", "{{args.token}}"]});
    let template = json!({"spec": {"containers": [container], "restartPolicy": "Never"}});
    let mut metric = json!({
        "name": "smoke", "provider": {"job": {"spec": {"template": template}}},
    });
    metric.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let token = json!({"secretKeyRef": {"name": "login", "key": "token"}});
    json!({"metrics": [metric], "args": [{"name": "token", "valueFrom": token}]})
}

fn jobs(world: &World) -> Api<Job> {
    let client: Client = batch::with_jobs(world.client.clone());
    Api::namespaced(client, PROJECT)
}

/// Waits until so many Jobs were created, and gives their names.
async fn created(world: &World, count: usize) -> Vec<String> {
    let api = jobs(world);
    let look = async || {
        let all = api.list(&ListParams::default()).await.unwrap().items;
        let names: Vec<_> = all.into_iter().filter_map(|job| job.metadata.name).collect();
        (names.len() == count).then_some(names)
    };
    wait(look).await.unwrap_or_else(|| panic!("there are not {count} Jobs"))
}

async fn end(world: &World, name: &str, condition: &str) {
    let conditions = json!([{"type": condition, "status": "True", "message": "it is over"}]);
    let patch = Patch::Merge(json!({"status": {"conditions": conditions}}));
    jobs(world).patch(name, &PatchParams::default(), &patch).await.unwrap();
}

fn running(run: &AnalysisRun) -> bool {
    run.status.metric_results.iter().any(|result| {
        result.measurements.last().is_some_and(|last| last.phase.as_str() == "Running")
    })
}

#[tokio::test]
async fn the_end_of_a_job_is_the_measurement() {
    let world = world().await;
    world.secret("login", json!({}), json!({"token": "hunter2"})).await;
    world.create("good", spec(json!({}))).await;
    let run = world.until("good", running).await;
    let name = created(&world, 1).await.remove(0);
    assert_eq!(name, format!("{}.smoke.1", run.metadata.uid.unwrap()));
    let measurement = &run.status.metric_results[0].measurements[0];
    assert_eq!(measurement.metadata["job-name"], name);
    assert_eq!(measurement.metadata["job-namespace"], PROJECT);
    let job = jobs(&world).get(&name).await.unwrap();
    let container = &job.spec.unwrap().template.spec.unwrap().containers[0];
    assert_eq!(container.command.as_ref().unwrap()[1], "hunter2");
    end(&world, &name, "Complete").await;
    assert_eq!(verdict(&world.ended("good").await), ("Successful", ""));
}

#[tokio::test]
async fn every_measurement_has_a_job_of_its_own() {
    let world = world().await;
    world.secret("login", json!({}), json!({"token": "x"})).await;
    world.create("r", spec(json!({"interval": "1m", "count": 2, "failureLimit": 1}))).await;
    let first = created(&world, 1).await.remove(0);
    end(&world, &first, "Complete").await;
    world.until("r", |run| run.status.metric_results.iter().any(|result| result.count == 1)).await;
    world.clock.advance(Duration::from_secs(61));
    let second = created(&world, 2).await.into_iter().find(|name| *name != first).unwrap();
    assert!(second.ends_with(".smoke.2"), "{second}");
    end(&world, &second, "Failed").await;
    let run = world.ended("r").await;
    assert_eq!(verdict(&run), ("Successful", ""));
    assert_eq!(run.status.metric_results[0].measurements[1].message, "it is over");
}

#[tokio::test]
async fn a_run_that_is_told_to_end_takes_its_job_along() {
    let world = world().await;
    world.secret("login", json!({}), json!({"token": "x"})).await;
    world.create("r", spec(json!({}))).await;
    world.until("r", running).await;
    world.patch("r", json!({"spec": {"terminate": true}})).await;
    let run = world.ended("r").await;
    assert_eq!(run.status.phase.as_str(), "Inconclusive");
    assert_eq!(run.status.metric_results[0].measurements[0].message, "Metric Terminated");
    created(&world, 0).await;
}

#[tokio::test]
async fn a_job_of_which_only_the_cluster_knows_is_found_again() {
    let mut world = world().await;
    world.secret("login", json!({}), json!({"token": "x"})).await;
    world.create("r", spec(json!({}))).await;
    world.until("r", running).await;
    let name = created(&world, 1).await.remove(0);
    world.stop_executor().await;
    // As if the executor had ended between the creation and its own write.
    world.patch("r", json!({"status": null})).await;
    world.start_executor_with(&[], &batch::with_jobs);
    world.until("r", running).await;
    assert_eq!(created(&world, 1).await.remove(0), name);
    end(&world, &name, "Failed").await;
    let why = "Metric \"smoke\" assessed Failed due to failed (1) > failureLimit (0): \
               \"Error Message: it is over\"";
    assert_eq!(verdict(&world.ended("r").await), ("Failed", why));
}

#[tokio::test]
async fn a_job_that_somebody_deletes_is_an_error() {
    let world = world().await;
    world.secret("login", json!({}), json!({"token": "x"})).await;
    world.create("r", spec(json!({"consecutiveErrorLimit": 0}))).await;
    world.until("r", running).await;
    let name = created(&world, 1).await.remove(0);
    jobs(&world).delete(&name, &kube::api::DeleteParams::default()).await.unwrap();
    let run = world.ended("r").await;
    assert!(run.status.message.contains("its job is gone"), "{}", run.status.message);
}
