//! Runs that repeat.

use std::{sync::Arc, time::Duration};

use io_kube::Ports;
use svc_gc::run_scheduled;

use crate::world::{World, keeping};

#[tokio::test]
async fn a_run_starts_every_hour_until_the_tasks_stop() {
    let world = World::start().await;
    world.project("demo").await;
    world.freight("demo", "f0").await;
    let tasks = world.engine.child_tasks();
    let ports = Ports {
        clock: Arc::new(world.clock.clone()),
        entropy: world.engine.entropy(),
        tasks: Arc::new(tasks.clone()),
    };
    let client = world.collector_client();
    let runs = run_scheduled(client, ports, keeping(0), world.metrics.clone());
    let test = async {
        until_deleted(&world, 1.0).await;
        world.freight("demo", "f1").await;
        until_deleted(&world, 2.0).await;
        tasks.shutdown(Duration::from_secs(1)).await;
    };
    let ((), ()) = tokio::join!(runs, test);
    assert!(world.freight_names("demo").await.is_empty());
}

/// Lets minutes pass until so much Freight is gone; an hour and its jitter must do.
async fn until_deleted(world: &World, count: f64) {
    for _ in 0..70 {
        world.clock.advance(Duration::from_mins(1));
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
        let deleted = world.metrics.families().remove(0).samples;
        if deleted.iter().any(|sample| sample.value >= count) {
            return;
        }
    }
    panic!("no run within an hour");
}
