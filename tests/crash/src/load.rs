//! Write load: creates, updates and deletes from several clients at once.

use std::sync::Arc;

use anyhow::Result;
use dev_testkit::{Client, Reply};
use http::Method;
use serde_json::{Value, json};

use crate::journal::{Journal, State};

/// Clients that write at once.
pub(crate) const WRITERS: usize = 16;
/// Where they write.
pub(crate) const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Writes until the server is gone. Each writer has objects of its own, so a client always knows what it asked for.
pub(crate) async fn write(client: Client, journal: Arc<Journal>, writer: usize, round: u64) {
    for number in 0.. {
        let name = format!("crash-{writer}-{}", number % 20);
        let value = round * 1_000_000 + number;
        if one(&client, &journal, &name, value).await.is_err() {
            return;
        }
    }
}

/// One write, chosen by what is there: create, update, or (now and then) delete.
async fn one(client: &Client, journal: &Journal, name: &str, value: u64) -> Result<()> {
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"crash": "yes"}},
        "data": {"value": value.to_string(), "filling": "x".repeat(600)},
    });
    let item = format!("{CONFIG_MAPS}/{name}");
    let there = journal.certain(name).is_some();
    let (to, method, path): (State, Method, &str) = match there {
        false => (Some(value), Method::POST, CONFIG_MAPS),
        true if value.is_multiple_of(7) => (None, Method::DELETE, &item),
        true => (Some(value), Method::PUT, &item),
    };
    journal.sent(name, to);
    let body = if to.is_some() { object } else { json!({}) };
    let reply = client.json(method, path, &body).await?;
    anyhow::ensure!(reply.status.is_success(), "{}", reply.text());
    journal.acknowledged_at(name, to, revision(&reply.json()));
    Ok(())
}

fn revision(object: &Value) -> u64 {
    object
        .pointer("/metadata/resourceVersion")
        .and_then(Value::as_str)
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

/// The objects that the server shows, by name, and the revision of the list.
pub(crate) fn shown(list: &Reply) -> Result<(std::collections::BTreeMap<String, u64>, u64)> {
    anyhow::ensure!(list.status.is_success(), "list: {}", list.text());
    let list = list.json();
    let items = list.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut objects = std::collections::BTreeMap::new();
    for item in &items {
        let name = item.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let value = item.pointer("/data/value").and_then(Value::as_str).unwrap_or_default();
        objects.insert(name.to_owned(), value.parse()?);
    }
    Ok((objects, revision(&list)))
}
