//! Replicas of the controller of one shard: one leads and works, the others wait, and nobody waits longer than needed.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use dev_testkit::{Client, warehouse::eventually};
use serde_json::{Value, json};

use super::{
    merge,
    process::{Component, free_port, get, kubeconfig, until_ready},
    up,
};

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kargo/leases";
/// Two tries of a candidate, on a machine that has other things to do. A Lease that nobody gives back takes 15 s.
const AT_ONCE: Duration = Duration::from_secs(8);

/// A replica of the controller of shard `dev`, with a data directory of its own.
fn replica(data: &Path, name: &str, health: &str) -> Component {
    let directory = data.join(name).display().to_string();
    let variables = [
        ("CREDENTIAL_PROVIDERS_ENABLED", "true"),
        ("SHARD_NAME", "dev"),
        ("HOSTNAME", name),
        ("KARGO_DATA_DIR", directory.as_str()),
        ("HEALTH_BIND_ADDRESS", health),
        ("PATH", env!("PATH")),
    ];
    Component::start("controller", &kubeconfig(data, "kargo-controller"), &variables)
}

async fn lease(client: &Client, name: &str) -> Value {
    client.get(&format!("{LEASES}/{name}")).await.unwrap().json()
}

async fn holder(client: &Client) -> String {
    let lease = lease(client, "kargo-controller-dev-leader").await;
    lease["spec"]["holderIdentity"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn one_replica_works_and_the_next_follows_at_once_when_it_stops() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let client = kargo.client().unwrap();
    let [first_door, second_door] = [(); 2].map(|()| format!("127.0.0.1:{}", free_port()));
    let mut first = replica(directory.path(), "first", &first_door);
    first.record("controller working").await;
    let mut second = replica(directory.path(), "second", &second_door);
    second.record("listening").await;
    until_ready(&first_door).await;
    until_ready(&second_door).await;
    assert!(holder(&client).await.starts_with("first_"));
    let alive = async || {
        let beat = lease(&client, "kargo-controller-dev").await;
        Ok(beat["spec"]["holderIdentity"] == "first")
    };
    eventually("the leader beats", alive).await.unwrap();
    let beat = lease(&client, "kargo-controller-dev").await;
    assert_eq!(beat["metadata"]["labels"]["kargo.akuity.io/controller"], "dev", "{beat:#}");
    assert_eq!(beat["spec"]["leaseDurationSeconds"], 120);
    assert_eq!(get(&second_door, "/livez").await.0, 200);

    let begin = Instant::now();
    first.signal("-TERM").await;
    second.record("controller working").await;
    assert!(begin.elapsed() < AT_ONCE, "{:?}", begin.elapsed());
    assert_eq!(first.ended().await.0, Some(0));
    assert!(holder(&client).await.starts_with("second_"));
    second.signal("-TERM").await;
    assert_eq!(second.ended().await.0, Some(0));
    assert_eq!(holder(&client).await, "", "it gave the Lease back");
    let beat = client.get(&format!("{LEASES}/kargo-controller-dev")).await.unwrap();
    assert_eq!(beat.status, 404, "nobody serves the shard: {}", beat.text());
    kargo.stop().await.unwrap();
}

#[tokio::test]
async fn a_killed_leader_goes_on_at_once_and_another_takes_over_in_time() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let client = kargo.client().unwrap();
    let mut first = replica(directory.path(), "first", "0");
    first.record("controller working").await;
    let named = holder(&client).await;
    first.signal("-KILL").await;
    first.ended().await;

    let begin = Instant::now();
    let mut again = replica(directory.path(), "first", "0");
    again.record("controller working").await;
    assert!(begin.elapsed() < AT_ONCE, "{:?}", begin.elapsed());
    assert_eq!(holder(&client).await, named, "the name is that of the data directory");

    let mut second = replica(directory.path(), "second", "0");
    second.record("Starting Kargo Controller").await;
    again.signal("-KILL").await;
    let begin = Instant::now();
    second.record("controller working").await;
    assert!(begin.elapsed() > Duration::from_secs(5), "it waits for the end of the Lease");
    kargo.stop().await.unwrap();
}

#[tokio::test]
async fn who_loses_the_lease_stops_working_and_becomes_a_candidate_again() {
    let directory = tempfile::tempdir().unwrap();
    let kargo = up(directory.path()).await;
    let client = kargo.client().unwrap();
    let mut replica = replica(directory.path(), "first", "0");
    replica.record("controller working").await;
    let path = format!("{LEASES}/kargo-controller-dev-leader");
    let taken = json!({"spec": {"holderIdentity": "another", "leaseDurationSeconds": 1}});
    merge(&client, &path, &taken).await;
    replica.record("controller no longer leads").await;
    replica.record("controller working").await;
    replica.signal("-TERM").await;
    assert_eq!(replica.ended().await.0, Some(0));
    kargo.stop().await.unwrap();
}
