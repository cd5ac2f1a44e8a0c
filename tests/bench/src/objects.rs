//! The objects that are written and listed.

use anyhow::{Result, ensure};
use dev_testkit::Client;
use futures::{StreamExt, TryStreamExt, stream};
use http::Method;
use serde_json::{Value, json};

/// A ConfigMap of about `bytes` bytes of JSON.
pub(crate) fn config_map(name: &str, bytes: usize) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "labels": {"bench": "yes"}},
        "data": {"filling": "x".repeat(bytes.saturating_sub(300))},
    })
}

/// Creates a namespace of one's own.
pub(crate) async fn namespace(client: &Client, name: &str) -> Result<()> {
    let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let reply = client.json(Method::POST, "/api/v1/namespaces", &body).await?;
    ensure!(reply.status.is_success(), "create namespace {name}: {}", reply.text());
    Ok(())
}

/// Where the ConfigMaps of a namespace are.
pub(crate) fn config_maps(namespace: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/configmaps")
}

/// Creates `count` ConfigMaps with 64 requests in flight.
pub(crate) async fn fill(
    client: &Client,
    namespace: &str,
    count: usize,
    bytes: usize,
) -> Result<()> {
    let path = config_maps(namespace);
    stream::iter(0..count)
        .map(|number| {
            let path = &path;
            async move {
                let body = config_map(&format!("filled-{number}"), bytes);
                let reply = client.json(Method::POST, path, &body).await?;
                ensure!(reply.status.is_success(), "create: {}", reply.text());
                Ok(())
            }
        })
        .buffer_unordered(64)
        .try_collect::<Vec<()>>()
        .await
        .map(drop)
}
