//! Runs that end early, that do not count, that go, and that outlive their executor.

use std::time::Duration;

use serde_json::json;

use crate::{
    server::Server,
    world::{World, verdict, wait},
};

#[tokio::test]
async fn a_run_that_is_told_to_end_does_not_wait_for_its_servers() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    let metric = json!({"name": "m", "provider": {"web": {"url": server.url("/silent")}}});
    world.create("r", json!({"metrics": [metric]})).await;
    wait(async || server.seen().pop()).await.unwrap();
    world.patch("r", json!({"spec": {"terminate": true}})).await;
    assert_eq!(verdict(&world.ended("r").await), ("Successful", "Run Terminated"));
}

#[tokio::test]
async fn a_run_that_takes_long_is_shown_as_running() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    let metric = json!({"name": "m", "provider": {"web": {"url": server.url("/silent")}}});
    world.create("r", json!({"metrics": [metric]})).await;
    wait(async || server.seen().pop()).await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    let run = world.until("r", |run| run.status.phase.as_str() == "Running").await;
    assert!(run.status.started_at.is_some());
}

#[tokio::test]
async fn the_outcome_of_a_dry_run_does_not_count() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    server.answer("/bad", &[(200, "1")]);
    server.answer("/good", &[(200, "2")]);
    let metric = |name: &str| {
        let web = json!({"url": server.url(&format!("/{name}"))});
        json!({"name": name, "failureCondition": "result == 1", "provider": {"web": web}})
    };
    let spec = json!({
        "metrics": [metric("good"), metric("bad")], "dryRun": [{"metricName": "bad"}],
    });
    world.create("r", spec).await;
    let run = world.ended("r").await;
    assert_eq!(verdict(&run), ("Successful", ""));
    assert_eq!(json!(run.status.dry_run_summary), json!({"count": 1, "failed": 1}));
    let bad = run.status.metric_results.iter().find(|result| result.name == "bad").unwrap();
    assert_eq!(bad.message, "Metric assessed Failed due to failed (1) > failureLimit (0)");
}

#[tokio::test]
async fn a_run_goes_when_it_has_lived_as_long_as_it_should() {
    let (world, server) = (World::start(&[]).await, Server::start().await);
    server.answer("/good", &[(200, "2")]);
    let metric = json!({"name": "m", "provider": {"web": {"url": server.url("/good")}}});
    let ttl = json!({"secondsAfterSuccess": 60});
    world.create("r", json!({"metrics": [metric], "ttlStrategy": ttl})).await;
    world.ended("r").await;
    world.clock.advance(Duration::from_secs(61));
    world.until_gone("r").await;
}

#[tokio::test]
async fn what_was_under_way_is_measured_again_after_a_restart() {
    let (mut world, server) = (World::start(&[]).await, Server::start().await);
    let metric = json!({"name": "m", "provider": {"web": {"url": server.url("/slow")}}});
    world.create("r", json!({"metrics": [metric]})).await;
    wait(async || server.seen().pop()).await.unwrap();
    world.stop_executor().await;
    server.answer("/slow", &[(200, "1")]);
    world.start_executor(&[]);
    assert_eq!(verdict(&world.ended("r").await), ("Successful", ""));
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn what_is_wrong_with_a_run_is_told_before_anything_is_measured() {
    let world = World::start(&[]).await;
    let metric = json!({"name": "m", "provider": {"datadog": {"query": "x"}}});
    world.create("r", json!({"metrics": [metric]})).await;
    let run = world.ended("r").await;
    assert_eq!(run.status.phase.as_str(), "Error");
    let message = &run.status.message;
    assert!(
        message.starts_with("Analysis spec invalid: metrics[0]: provider datadog"),
        "{message}"
    );
}

#[tokio::test]
async fn a_job_is_an_error_where_there_are_none() {
    let world = World::start(&[]).await;
    let job = json!({"spec": {"template": {"spec": {"containers": []}}}});
    let metric = json!({"name": "m", "consecutiveErrorLimit": 0, "provider": {"job": job}});
    world.create("r", json!({"metrics": [metric]})).await;
    let run = world.ended("r").await;
    let message = &run.status.message;
    assert!(message.contains("the API server has no Jobs (batch/v1)"), "{message}");
}
