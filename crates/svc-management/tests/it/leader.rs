//! Two replicas: one works, the other takes over when it stops.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use serde_json::json;
use svc_management::{Error, Monitor, Replicas};

use crate::world::{World, identity, merge};

#[tokio::test]
async fn a_second_replica_waits_and_takes_over() {
    let world = World::empty(None).await;
    let (first, first_monitor) = world.manage(Replicas::Many("first".into()));
    world.eventually("the first works", async || first_monitor.is_working().then_some(())).await;
    let (_second, second_monitor) = world.manage(Replicas::Many("second".into()));
    world.ready_project("before", json!({})).await;
    assert!(!second_monitor.is_working());
    world
        .eventually("the second stands by", async || {
            second_monitor.unready().is_none().then_some(())
        })
        .await;
    assert!(first.shutdown(Duration::from_secs(5)).await, "the first stops in time");
    world.eventually("the second works", async || second_monitor.is_working().then_some(())).await;
    world.ready_project("after", json!({})).await;
}

#[tokio::test]
async fn a_replica_that_lost_its_lease_ends() {
    let world = World::empty(None).await;
    let (tasks, monitor) = (world.engine.child_tasks(), Monitor::default());
    let client = world.engine.client_as(identity());
    let run = world.run(client, &tasks, Replicas::Many("first".into()), monitor.clone());
    let steal = async {
        world.eventually("the first works", async || monitor.is_working().then_some(())).await;
        let stolen = json!({"spec": {"holderIdentity": "thief"}});
        merge(&world.within::<Lease>("kargo"), "kargo-management-controller", stolen).await;
    };
    let (outcome, ()) = tokio::join!(run, steal);
    assert!(matches!(outcome, Err(Error::LostLeadership)));
    assert!(!monitor.is_working());
    world.create_project("after", json!({})).await;
    crate::world::pause(Duration::from_millis(300)).await;
    let after = world.cluster::<api_kinds::Project>().get("after").await.unwrap();
    assert!(after.status.conditions.is_empty(), "it works no more");
}
