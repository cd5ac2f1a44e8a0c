//! Several executors, of which one works.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use serde_json::json;

use crate::{
    server::Server,
    world::{World, verdict, wait},
};

async fn holder(world: &World) -> Option<String> {
    let leases: Api<Lease> = Api::namespaced(world.client.clone(), "kargo");
    let lease = leases.get_opt("kargo-analysis-controller").await.unwrap()?;
    lease.spec?.holder_identity.filter(|holder| !holder.is_empty())
}

#[tokio::test]
async fn another_replica_goes_on_when_one_stops() {
    let mut world = World::idle(api_analysis::crds()).await;
    let server = Server::start().await;
    server.answer("/", &[(200, "1")]);
    let metric = json!({"name": "m", "provider": {"web": {"url": server.url("/")}}});
    let first = world.start_replica("first");
    wait(async || holder(&world).await.filter(|holder| holder == "first")).await.unwrap();
    world.start_replica("second");
    world.create("one", json!({"metrics": [metric.clone()]})).await;
    assert_eq!(verdict(&world.ended("one").await), ("Successful", ""));
    assert!(first.shutdown(Duration::from_secs(5)).await);
    let taken = async || {
        world.clock.advance(Duration::from_millis(500));
        holder(&world).await.filter(|holder| holder == "second")
    };
    wait(taken).await.unwrap();
    world.create("two", json!({"metrics": [metric]})).await;
    assert_eq!(verdict(&world.ended("two").await), ("Successful", ""));
    assert_eq!(server.seen().len(), 2);
}
