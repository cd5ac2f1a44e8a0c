//! The Kubernetes API is away, or slow: what can be answered is, the rest is told to come back.

use std::{sync::Arc, time::Duration};

use core_clock::{ManualClock, Time};
use futures::future::join_all;
use http::Method;
use serde_json::json;

use crate::world::{World, change, project, stage};

async fn world() -> (World, String) {
    let mut objects = project("demo");
    objects.push(stage("demo", "qa", "w"));
    let world = World::start(objects).await;
    let token = world.admin().await;
    (world, token)
}

#[tokio::test]
async fn reads_go_on_while_the_kubernetes_api_is_away_and_writes_are_told_to_come_back() {
    let (world, token) = world().await;
    let viewer = world.token_of("kargo", "kargo-viewer").await;
    assert_eq!(world.get("/projects/demo/stages", &viewer).await.status, 200);
    world.connection.cut();
    assert_eq!(world.get("/projects/demo/stages/qa", &token).await.status, 200);
    for (method, path) in [
        (Method::DELETE, "/projects/demo/stages/qa"),
        (Method::POST, "/projects/demo/stages/qa/refresh"),
        (Method::GET, "/projects/demo/generic-credentials"),
    ] {
        let reply = world.send(method, path, Some(&token), &[], "").await;
        let text = "the Kubernetes API cannot be reached".to_owned();
        assert_eq!(reply.error(), (503, text), "{path}");
        assert_eq!(reply.json()["code"], "ServiceUnavailable");
        assert!(reply.header("retry-after").parse::<u64>().unwrap() >= 1);
    }
    // Nobody can say what they may do: not a refusal, and not the code of somebody else.
    let unknown = world.get("/projects/demo/warehouses", &viewer).await;
    assert_eq!(unknown.error(), (503, "permissions cannot be checked now".to_owned()));
    assert!(!unknown.header("retry-after").is_empty());
    let stranger = world.token_of("kargo", "kargo-user").await;
    let unreviewed = world.get("/projects", &stranger).await;
    assert_eq!(unreviewed.error(), (503, "the token cannot be checked now".to_owned()));
    world.connection.mend();
    assert_eq!(world.get("/projects/demo/warehouses", &viewer).await.status, 200);
}

#[tokio::test]
async fn a_stream_outlives_an_interruption_and_misses_nothing() {
    let (world, token) = world().await;
    let mut watch = world.watch("/projects/demo/stages?watch=true", &token, &[]).await;
    assert_eq!(watch.change().await, change("ADDED", "qa"));
    world.connection.cut();
    let path = "/apis/kargo.akuity.io/v1alpha1/namespaces/demo/stages";
    world.apply(path, &stage("demo", "prod", "w")).await;
    world.patch(path, "qa", json!({"metadata": {"labels": {"a": "b"}}})).await;
    world.connection.mend();
    let mut told = vec![watch.change().await, watch.change().await];
    told.sort();
    assert_eq!(told, [change("ADDED", "prod"), change("MODIFIED", "qa")]);
}

/// Holds the way to the Kubernetes API while somebody asks, and does `meanwhile` once they wait for it.
async fn while_waiting(world: &World, path: &str, token: &str, meanwhile: impl AsyncFn()) {
    let before = world.connection.seen().len();
    world.connection.hold();
    let others = async {
        while world.connection.seen().len() == before {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        meanwhile().await;
    };
    tokio::select! {
        reply = world.get(path, token) => unreachable!("nobody answers, but: {:?}", reply.error()),
        () = others => {}
    }
    world.connection.mend();
}

#[tokio::test]
async fn whoever_asks_for_much_at_a_bad_time_is_told_to_come_back_and_others_are_served() {
    let variables = [("API_MAX_EXPENSIVE_QUERIES", "1")];
    let objects = [project("demo"), vec![stage("demo", "qa", "w")]].concat();
    let world = World::with(&variables, objects).await;
    let token = world.admin().await;
    let viewer = world.token_of("kargo", "kargo-viewer").await;
    assert_eq!(world.get("/system/server-version", &viewer).await.status, 200);
    let too_many = async |paths: &[&str]| {
        let replies = join_all(paths.iter().map(|path| world.get(path, &token))).await;
        for (path, reply) in paths.iter().zip(replies) {
            let text = "too many requests; try again later".to_owned();
            assert_eq!(reply.error(), (429, text), "{path}");
            assert_eq!(reply.header("retry-after"), "2", "{path}");
        }
    };
    let served = async |paths: &[&str]| {
        for path in paths {
            let reply = world.get(path, &token).await;
            assert_eq!(reply.status, 200, "{path}: {:?}", reply.error());
        }
    };
    let (made, live) = (
        ["/overview", "/activity", "/projects/demo/stages?limit=1", "/projects/demo/freight"],
        ["/system/announcements", "/projects/demo/configmaps"],
    );
    while_waiting(&world, "/overview", &viewer, async || {
        too_many(&made).await;
        served(&["/projects/demo/stages", "/projects"]).await;
    })
    .await;
    while_waiting(&world, live[1], &token, async || {
        too_many(&live[..1]).await;
        served(&made).await;
    })
    .await;
    // Who asked has gone away, so that it is the turn of others.
    served(&live).await;
}

#[tokio::test]
async fn a_slow_kubernetes_api_does_not_keep_callers_for_ever() {
    let clock = Arc::new(ManualClock::new(Time::from_seconds(1_700_000_000)));
    let mut objects = project("demo");
    objects.push(stage("demo", "qa", "w"));
    let world = World::at(clock.clone(), objects).await;
    let token = world.admin().await;
    world.connection.hold();
    let asked = world.send(Method::DELETE, "/projects/demo/stages/qa", Some(&token), &[], "");
    let time_passes = async {
        loop {
            clock.advance(Duration::from_secs(5));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let reply = tokio::select! {
        reply = asked => reply,
        () = time_passes => unreachable!("time never ends"),
    };
    assert_eq!(reply.error(), (503, "the request took too long".to_owned()));
    assert!(!reply.header("retry-after").is_empty());
}
