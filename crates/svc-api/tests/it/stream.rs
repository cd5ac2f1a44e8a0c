//! Watches.

use std::time::Duration;

use http::Method;
use io_runtime::TaskGroup;
use serde_json::json;

use crate::world::{World, change, project, stage};

const STAGES: &str = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/stages";

async fn world() -> (World, String) {
    let mut objects = project("demo");
    objects.extend(project("other"));
    objects.push(stage("demo", "dev", "w1"));
    let world = World::start(objects).await;
    let token = world.admin().await;
    (world, token)
}

#[tokio::test]
async fn a_stream_begins_with_what_is_there_and_goes_on_with_what_changes() {
    let (world, token) = world().await;
    let mut watch = world.watch("/projects/demo/stages?watch=true", &token, &[]).await;
    assert_eq!(watch.change().await, change("ADDED", "dev"));
    world.apply(&STAGES.replace("demo", "other"), &stage("other", "x", "w1")).await;
    world.apply(STAGES, &stage("demo", "qa", "w1")).await;
    assert_eq!(watch.change().await, change("ADDED", "qa"));
    world.patch(STAGES, "qa", json!({"metadata": {"labels": {"a": "b"}}})).await;
    assert_eq!(watch.change().await, change("MODIFIED", "qa"));
    world.send(Method::DELETE, "/projects/demo/stages/qa", Some(&token), &[], "").await;
    assert_eq!(watch.change().await, change("DELETED", "qa"));
}

#[tokio::test]
async fn one_goes_on_from_a_list_or_from_the_last_event() {
    let (world, token) = world().await;
    let list = world.get("/projects/demo/stages", &token).await.json();
    let version = list["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    world.apply(STAGES, &stage("demo", "qa", "w1")).await;
    let path = format!("/projects/demo/stages?watch=true&resourceVersion={version}");
    let mut watch = world.watch(&path, &token, &[]).await;
    let frame = watch.frame().await.unwrap();
    assert!(frame.data.contains("\"ADDED\"") && frame.data.contains("\"qa\""), "{frame:?}");
    let id = frame.id.unwrap();
    world.apply(STAGES, &stage("demo", "uat", "w1")).await;
    let mut again = world.watch(&path, &token, &[("last-event-id", &id)]).await;
    assert_eq!(again.change().await, change("ADDED", "uat"));
}

#[tokio::test]
async fn a_history_that_is_gone_is_told_in_the_stream() {
    let (world, token) = world().await;
    for version in ["1", "nonsense"] {
        let path = format!("/projects/demo/stages?watch=true&resourceVersion={version}");
        let mut watch = world.watch(&path, &token, &[]).await;
        let frame = watch.frame().await.unwrap();
        assert_eq!(frame.event.as_deref(), Some("error"), "{version}");
        assert!(frame.data.contains("\"code\":\"out_of_range\""), "{frame:?}");
        assert_eq!(watch.frame().await, None, "{version}");
    }
}

#[tokio::test]
async fn what_stops_to_match_is_deleted_for_those_who_knew_it_only() {
    let (world, token) = world().await;
    let path = "/projects/demo/stages?watch=true&freightOrigins=w1";
    let mut watch = world.watch(path, &token, &[]).await;
    assert_eq!(watch.change().await, change("ADDED", "dev"));
    world.apply(STAGES, &stage("demo", "never", "w2")).await;
    world.patch(STAGES, "never", json!({"metadata": {"labels": {"a": "b"}}})).await;
    let requests = stage("demo", "dev", "w2")["spec"].clone();
    world.patch(STAGES, "dev", json!({"spec": requests})).await;
    assert_eq!(watch.change().await, change("DELETED", "dev"));
    world.patch(STAGES, "never", json!({"spec": stage("demo", "never", "w1")["spec"]})).await;
    assert_eq!(watch.change().await, change("ADDED", "never"));
}

#[tokio::test]
async fn one_object_can_be_watched_if_it_is_there() {
    let (world, token) = world().await;
    let mut watch = world.watch("/projects/demo/stages/dev?watch=true", &token, &[]).await;
    assert_eq!(watch.change().await, change("ADDED", "dev"));
    world.apply(STAGES, &stage("demo", "qa", "w1")).await;
    world.patch(STAGES, "dev", json!({"metadata": {"labels": {"a": "b"}}})).await;
    assert_eq!(watch.change().await, change("MODIFIED", "dev"));
    let absent = world.get("/projects/demo/stages/no?watch=true", &token).await;
    assert_eq!(absent.status, 404);
}

#[tokio::test]
async fn streams_are_told_when_the_server_goes() {
    let (world, token) = world().await;
    let mut watch = world.watch("/projects/demo/stages?watch=true", &token, &[]).await;
    assert_eq!(watch.change().await, change("ADDED", "dev"));
    let tasks: TaskGroup = world.tasks.clone();
    let (is_drained, ()) = tokio::join!(tasks.shutdown(Duration::from_secs(10)), async {
        assert_eq!(watch.frame().await.unwrap().event.as_deref(), Some("close"));
        assert_eq!(watch.frame().await, None);
    });
    assert!(is_drained);
}
