//! Requests are counted by what came of them.

use dev_testkit::engine::Identity;
use io_kube::RequestCounter;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client};
use tower::Layer;

use crate::world::World;

#[tokio::test]
async fn each_request_counts_once_under_its_status() {
    let world = World::start().await;
    world.create("a", "1").await;
    let counter = RequestCounter::default();
    let service = counter.layer(world.engine.server().client_service(Identity::admin()));
    let maps: Api<ConfigMap> = Api::namespaced(Client::new(service, "default"), "default");
    maps.get("a").await.unwrap();
    maps.get("a").await.unwrap();
    maps.get("missing").await.unwrap_err();
    assert_eq!(counter.total(), 3);
    let family = counter.family();
    let counts: Vec<_> =
        family.samples.iter().map(|sample| (sample.labels[0].1.as_str(), sample.value)).collect();
    assert_eq!(counts, [("200", 2.0), ("404", 1.0)]);
}
