//! One leads at a time, and heartbeats are their own.

use std::{collections::BTreeMap, time::Duration};

use core_clock::Clock;
use futures::FutureExt;
use io_kube::{Elector, ElectorSettings, Heartbeat, Leadership, Ports};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::world::World;

fn elect(client: &Client, ports: &Ports, identity: &str) -> JoinHandle<Option<Leadership>> {
    let settings = ElectorSettings::new("default", "leader", identity);
    let elector = Elector::new(client.clone(), settings, ports);
    tokio::spawn(elector.acquire())
}

async fn lease(world: &World, name: &str) -> Option<Lease> {
    let leases: Api<Lease> = Api::namespaced(world.engine.admin_client(), "default");
    leases.get_opt(name).await.unwrap()
}

fn holder(lease: &Lease) -> &str {
    lease.spec.as_ref().unwrap().holder_identity.as_deref().unwrap()
}

#[tokio::test]
async fn of_two_contenders_one_leads_until_it_gives_the_lease_back() {
    let world = World::start().await;
    let first = elect(&world.client, &world.ports, "first");
    world.eventually("the first leads", || first.is_finished()).await;
    let first = first.await.unwrap().unwrap();
    let settings = ElectorSettings::new("default", "leader", "second");
    let second = Elector::new(world.client.clone(), settings, &world.ports);
    let knows_leader = second.knows_leader();
    assert!(!knows_leader(), "it has not looked yet");
    let second = tokio::spawn(second.acquire());
    for _ in 0..30 {
        world.pass(Duration::from_secs(2)).await;
    }
    assert!(knows_leader());
    assert!(!second.is_finished(), "two lead");
    assert!(first.lost().now_or_never().is_none());

    first.release().await;
    let before = world.clock.monotonic();
    world.eventually("the second leads", || second.is_finished()).await;
    let waited = world.clock.monotonic().saturating_sub(before);
    assert!(waited < Duration::from_secs(3), "{waited:?}");
    let second = second.await.unwrap().unwrap();
    let held = lease(&world, "leader").await.unwrap();
    assert_eq!((holder(&held), held.spec.as_ref().unwrap().lease_transitions), ("second", Some(1)));
    drop(second);
    world.settle().await;
    assert_eq!(holder(&lease(&world, "leader").await.unwrap()), "", "given back when dropped");
}

#[tokio::test]
async fn a_leader_that_cannot_renew_knows_before_another_takes_over() {
    let world = World::start().await;
    let first = elect(&world.client, &world.ports, "first");
    world.eventually("the first leads", || first.is_finished()).await;
    let first = first.await.unwrap().unwrap();
    let (client, _, _, ports) = world.beside();
    let second = elect(&client, &ports, "second");
    world.pass(Duration::from_secs(3)).await;

    world.faults.set_down(true);
    let start = world.clock.monotonic();
    let (mut lost, mut taken) = (None, None);
    while taken.is_none() || lost.is_none() {
        world.pass(Duration::from_millis(100)).await;
        let now = world.clock.monotonic().saturating_sub(start);
        assert!(now < Duration::from_secs(40), "lost {lost:?}, taken {taken:?}");
        lost = lost.or(first.lost().now_or_never().map(|()| now));
        taken = taken.or(second.is_finished().then_some(now));
    }
    assert!(lost < taken, "lost {lost:?}, taken {taken:?}");
}

#[tokio::test]
async fn a_renewal_whose_reply_is_lost_does_not_cost_the_leadership() {
    let world = World::start().await;
    let leading = elect(&world.client, &world.ports, "first");
    world.eventually("the first leads", || leading.is_finished()).await;
    let leading = leading.await.unwrap().unwrap();
    let before = lease(&world, "leader").await.unwrap();
    world.faults.lose_reply();
    world.pass(Duration::from_secs(2)).await;
    let written = lease(&world, "leader").await.unwrap();
    assert_ne!(written.metadata.resource_version, before.metadata.resource_version);
    for _ in 0..30 {
        world.pass(Duration::from_secs(1)).await;
        assert!(leading.lost().now_or_never().is_none());
    }
    leading.release().await;
}

#[tokio::test]
async fn stopping_ends_the_candidacy() {
    let world = World::start().await;
    let leading = elect(&world.client, &world.ports, "first");
    world.eventually("the first leads", || leading.is_finished()).await;
    let _leading = leading.await.unwrap().unwrap();
    let (client, _, tasks, ports) = world.beside();
    let waiting = elect(&client, &ports, "second");
    world.settle().await;
    assert!(tasks.shutdown(Duration::from_secs(5)).await);
    assert!(waiting.await.unwrap().is_none());
}

#[tokio::test]
async fn a_heartbeat_is_renewed_and_taken_away_only_by_its_holder() {
    let world = World::start().await;
    let heartbeat = |identity: &str| {
        Heartbeat::of_controller("default", "east", identity, Duration::from_mins(2))
    };
    let beats = || lease(&world, "kargo-controller-east");
    heartbeat("old").start(world.client.clone(), &world.ports);
    world.settle().await;
    let first = beats().await.unwrap();
    assert_eq!(holder(&first), "old");
    let labels = BTreeMap::from([("kargo.akuity.io/controller".into(), "east".into())]);
    assert_eq!(first.metadata.labels, Some(labels));
    world.pass(Duration::from_secs(41)).await;
    let (first, renewed) = (first.spec.unwrap(), beats().await.unwrap().spec.unwrap());
    assert!(renewed.renew_time > first.renew_time);
    assert_eq!(renewed.acquire_time, first.acquire_time);
    assert_eq!(renewed.lease_duration_seconds, Some(120));

    let (client, _, tasks, ports) = world.beside();
    heartbeat("new").start(client, &ports);
    world.settle().await;
    assert!(world.tasks.shutdown(Duration::from_secs(5)).await);
    assert_eq!(holder(&beats().await.unwrap()), "new", "the successor's stays");
    assert!(tasks.shutdown(Duration::from_secs(5)).await);
    assert!(beats().await.is_none());
}

#[tokio::test]
async fn a_leader_that_slept_longer_than_its_lease_sends_no_write() {
    let world = World::start().await;
    let first = elect(&world.client, &world.ports, "first");
    world.eventually("the first leads", || first.is_finished()).await;
    let first = first.await.unwrap().unwrap();
    let leases: Api<Lease> = Api::namespaced(first.fence().guard(world.client.clone()), "default");
    let label = Patch::Merge(json!({"metadata": {"labels": {"touched": "yes"}}}));
    leases.patch("leader", &PatchParams::default(), &label).await.unwrap();

    world.faults.set_down(true);
    world.pass(Duration::from_secs(30)).await;
    let refused = leases.patch("leader", &PatchParams::default(), &label).await.unwrap_err();
    assert!(refused.to_string().contains("not sent"), "{refused}");
    world.faults.set_down(false);
    assert!(leases.get("leader").await.is_ok(), "reading is nobody's harm");
}
