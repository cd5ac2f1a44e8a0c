//! Who made a request, and whose fields it wrote.

use dev_testkit::engine::Identity;
use io_kube::UserAgent;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Api, Client, ResourceExt, api::PostParams};
use tower::Layer;

use crate::world::World;

/// The managers of an object that a client with this name makes, unless it says whose fields they are.
async fn managers(agent: &UserAgent, field_manager: Option<&str>) -> Vec<String> {
    let world = World::start().await;
    let service = agent.layer(world.engine.server().client_service(Identity::admin()));
    let maps: Api<ConfigMap> = Api::namespaced(Client::new(service, "default"), "default");
    let mut map =
        ConfigMap { data: Some([("a".into(), "b".into())].into()), ..ConfigMap::default() };
    map.metadata.name = Some("mine".to_owned());
    let field_manager = field_manager.map(str::to_owned);
    let parameters = PostParams { field_manager, ..PostParams::default() };
    let made = maps.create(&parameters, &map).await.unwrap();
    made.managed_fields().iter().filter_map(|entry| entry.manager.clone()).collect()
}

#[tokio::test]
async fn fields_belong_to_the_program_unless_the_request_says_otherwise() {
    let agent = UserAgent::new("kargo-controller", "v1.2.3");
    assert_eq!(managers(&agent, None).await, ["kargo-controller"]);
    assert_eq!(managers(&agent, Some("kargo")).await, ["kargo"]);
    // Who is nearer to the request knows better who makes it.
    let world = World::start().await;
    let outer = UserAgent::new("kargo-api", "v1.2.3");
    let service = world.engine.server().client_service(Identity::admin());
    let maps: Api<ConfigMap> =
        Api::namespaced(Client::new(outer.layer(agent.layer(service)), "default"), "default");
    let mut map = ConfigMap::default();
    map.metadata.name = Some("mine".to_owned());
    map.data = Some([("a".into(), "b".into())].into());
    let made = maps.create(&PostParams::default(), &map).await.unwrap();
    assert_eq!(made.managed_fields()[0].manager.as_deref(), Some("kargo-api"));
}
