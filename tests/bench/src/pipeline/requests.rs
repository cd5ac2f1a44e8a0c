//! The API requests that promotions cause, as the API server counts them.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use dev_testkit::Client;

/// Requests so far, by verb and resource: everything on our kinds, events and access reviews, except watches and lists.
#[derive(Debug, Default)]
pub(super) struct Requests(BTreeMap<String, f64>);

impl Requests {
    pub(super) async fn count(client: &Client) -> Result<Self> {
        let reply = client.get("/metrics").await?;
        ensure!(reply.status.is_success(), "metrics: {}", reply.status);
        let text = reply.text();
        let samples = text.lines().filter_map(|line| line.strip_prefix("apiserver_request_total{"));
        let mut counts = BTreeMap::new();
        for (labels, value) in samples.filter_map(|sample| sample.rsplit_once("} ")) {
            if let Some(key) = key_of(labels) {
                *counts.entry(key).or_default() += value.parse::<f64>().unwrap_or_default();
            }
        }
        Ok(Self(counts))
    }

    /// How many more there are than `before`.
    pub(super) fn since(&self, before: &Self) -> f64 {
        self.0.values().sum::<f64>() - before.0.values().sum::<f64>()
    }

    /// What they are, the most frequent first.
    pub(super) fn differences(&self, before: &Self) -> Vec<(String, f64)> {
        let more =
            |key: &String, value: f64| value - before.0.get(key).copied().unwrap_or_default();
        let mut all: Vec<(String, f64)> =
            self.0.iter().map(|(key, value)| (key.clone(), more(key, *value))).collect();
        all.retain(|(_, count)| *count > 0.0);
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all
    }
}

fn key_of(labels: &str) -> Option<String> {
    let label = |name: &str| -> Option<&str> {
        let start = labels.find(&format!("{name}=\""))? + name.len() + 2;
        labels.get(start..)?.split('"').next()
    };
    let (verb, resource) = (label("verb")?, label("resource")?);
    let group = label("group").unwrap_or_default();
    let counts =
        matches!(group, "kargo.akuity.io" | "authorization.k8s.io") || resource == "events";
    if !counts || matches!(verb, "WATCH" | "LIST") {
        return None;
    }
    let subresource = label("subresource").filter(|name| !name.is_empty());
    Some(match subresource {
        Some(subresource) => format!("{verb} {resource}/{subresource}"),
        None => format!("{verb} {resource}"),
    })
}
