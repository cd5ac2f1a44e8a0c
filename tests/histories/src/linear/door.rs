//! The way into the embedded server.

use anyhow::Result;
use dev_testkit::Client;
use http::Method;
use serde_json::Value;

/// Asks; returns status code and reply. An error says that nobody knows what came of it.
pub(crate) async fn ask(
    client: &Client,
    method: Method,
    path: &str,
    body: &Value,
) -> Result<(u16, Value)> {
    let media_type = match method {
        Method::PATCH => "application/merge-patch+json",
        _ => "application/json",
    };
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let reply = client.send(method, path, &[("content-type", media_type)], body).await?;
    Ok((reply.status.as_u16(), reply.json()))
}
