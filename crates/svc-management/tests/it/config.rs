//! Receivers get addresses as soon as their Secrets are there.

use api_kinds::{ClusterConfig, ProjectConfig, receiver::WebhookReceiverDetails};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use serde_json::{Value, json};

use crate::world::{World, create, merge};

fn receivers() -> Value {
    json!({"webhookReceivers": [{"name": "r", "github": {"secretRef": {"name": "s"}}}]})
}

fn secret(value: &str) -> Value {
    json!({"metadata": {"name": "s"}, "stringData": {"secret": value}})
}

async fn until_project_config(
    world: &World,
    what: &str,
    accept: impl Fn(&ProjectConfig) -> bool,
) -> ProjectConfig {
    let configs = world.within::<ProjectConfig>("demo");
    world
        .eventually(what, async || Some(configs.get("demo").await.unwrap()).filter(|c| accept(c)))
        .await
}

fn ready_reason(config: &ProjectConfig) -> Option<&str> {
    let ready = config.status.conditions.iter().find(|condition| condition.r#type == "Ready")?;
    Some(&ready.reason)
}

fn first_path(details: &[WebhookReceiverDetails]) -> String {
    details.first().map(|first| first.path.clone()).unwrap_or_default()
}

#[tokio::test]
async fn a_project_config_follows_its_secrets_at_once() {
    let world = World::start().await;
    world.ready_project("demo", json!({})).await;
    let configs = world.within::<ProjectConfig>("demo");
    create(&configs, json!({"metadata": {"name": "demo"}, "spec": receivers()})).await;
    let failed = until_project_config(&world, "the Secret is missed", |config| {
        ready_reason(config) == Some("SyncWebhookReceiversFailed")
    })
    .await;
    let message = &failed.status.conditions.iter().find(|c| c.r#type == "Ready").unwrap().message;
    assert_eq!(
        message,
        "Failed to sync WebhookReceivers: receiver \"r\": Secret \"s\" not found in namespace \
         \"demo\""
    );
    assert_eq!(failed.status.observed_generation, 0);

    let secrets = world.within::<Secret>("demo");
    create(&secrets, secret("one")).await;
    let synced = until_project_config(&world, "the address is told", |config| {
        ready_reason(config) == Some("Synced")
    })
    .await;
    let first = first_path(&synced.status.webhook_receivers);
    assert!(first.starts_with("/github/"), "{first}");
    assert_eq!(synced.status.observed_generation, 1);

    merge(&secrets, "s", json!({"stringData": {"secret": "two"}})).await;
    until_project_config(&world, "the address changes with the Secret", |config| {
        first_path(&config.status.webhook_receivers) != first
    })
    .await;

    let refresh = json!({"metadata": {"annotations": {"kargo.akuity.io/refresh": "now"}}});
    merge(&configs, "demo", refresh).await;
    until_project_config(&world, "the refresh is handled", |config| {
        config.status.last_handled_refresh == "now"
    })
    .await;

    merge(&configs, "demo", json!({"spec": {"webhookReceivers": null}})).await;
    until_project_config(&world, "no address is told", |config| {
        config.status.webhook_receivers.is_empty()
    })
    .await;
}

#[tokio::test]
async fn a_secret_of_another_project_is_of_no_use() {
    let world = World::start().await;
    world.ready_project("demo", json!({})).await;
    world.ready_project("other", json!({})).await;
    create(&world.within::<Secret>("other"), secret("one")).await;
    let configs = world.within::<ProjectConfig>("demo");
    create(&configs, json!({"metadata": {"name": "demo"}, "spec": receivers()})).await;
    until_project_config(&world, "the Secret is missed", |config| {
        ready_reason(config) == Some("SyncWebhookReceiversFailed")
    })
    .await;
}

#[tokio::test]
async fn only_the_config_of_a_project_gets_addresses() {
    let world = World::start().await;
    world.ready_project("demo", json!({})).await;
    let namespaces = world.cluster::<Namespace>();
    create(&namespaces, json!({"metadata": {"name": "stranger"}})).await;
    for (namespace, name) in [("demo", "second"), ("stranger", "stranger"), ("demo", "demo")] {
        if name != "second" {
            create(&world.within::<Secret>(namespace), secret("one")).await;
        }
        let config = json!({"metadata": {"name": name}, "spec": receivers()});
        create(&world.within::<ProjectConfig>(namespace), config).await;
    }
    until_project_config(&world, "the address is told", |config| {
        ready_reason(config) == Some("Synced")
    })
    .await;
    for (namespace, name) in [("demo", "second"), ("stranger", "stranger")] {
        let other = world.within::<ProjectConfig>(namespace).get(name).await.unwrap();
        assert_eq!(other.status.webhook_receivers, []);
    }
}

#[tokio::test]
async fn the_cluster_config_takes_secrets_of_the_system() {
    let world = World::start().await;
    let configs = world.cluster::<ClusterConfig>();
    create(&configs, json!({"metadata": {"name": "cluster"}, "spec": receivers()})).await;
    create(&world.within::<Secret>("kargo-system-resources"), secret("one")).await;
    world
        .eventually("the address is told", async || {
            let config = configs.get("cluster").await.unwrap();
            let path = first_path(&config.status.webhook_receivers);
            path.starts_with("/github/").then_some(())
        })
        .await;
}
