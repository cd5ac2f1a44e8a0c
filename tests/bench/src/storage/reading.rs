//! Lists of a large collection in every form, and the first contents of a watch.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use dev_testkit::Client;
use futures::{StreamExt, TryStreamExt, stream};
use http::Method;
use serde_json::{Value, json};

use super::{Figure, Figures, OBJECT_BYTES, percentile};
use crate::{engine::Engine, objects};

const NAMESPACE: &str = "reading";
const ROUNDS: usize = 7;
/// Objects that the selector finds.
const CHOSEN: usize = 10;
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
const METADATA: &str = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

pub(super) async fn measure(engine: &Engine, count: usize) -> Result<Figures> {
    let client = engine.client()?;
    objects::namespace(&client, NAMESPACE).await?;
    objects::fill(&client, NAMESPACE, count - CHOSEN, OBJECT_BYTES).await?;
    choose(&client).await?;
    let path = objects::config_maps(NAMESPACE);
    let selected = format!("{path}?labelSelector=chosen%3Dyes");
    let plain = "application/json";
    Ok(vec![
        figure("list of 10,000 × 5 kB, HTTPS (ms)", list(&client, &path, plain).await?, 350.0),
        figure("the same as a Table (ms)", list(&client, &path, TABLE).await?, 150.0),
        figure("the same, metadata alone (ms)", list(&client, &path, METADATA).await?, 80.0),
        figure("the same, a selector finds 10 (ms)", list(&client, &selected, plain).await?, 8.0),
        figure("a watch sends all of them first (ms)", watch_list(&client, count).await?, 700.0),
    ])
}

fn figure(what: &'static str, value: f64, limit: f64) -> Figure {
    Figure::at_most(what, value, limit)
}

/// Objects with a label that the others do not have.
async fn choose(client: &Client) -> Result<()> {
    let create = async |number: usize| -> Result<()> {
        let mut body = objects::config_map(&format!("chosen-{number}"), OBJECT_BYTES);
        let metadata = body.get_mut("metadata").and_then(Value::as_object_mut);
        metadata.context("no metadata")?.insert("labels".into(), json!({"chosen": "yes"}));
        let reply = client.json(Method::POST, &objects::config_maps(NAMESPACE), &body).await?;
        ensure!(reply.status.is_success(), "create: {}", reply.text());
        Ok(())
    };
    stream::iter(0..CHOSEN).map(create).buffer_unordered(4).try_collect::<Vec<()>>().await.map(drop)
}

async fn list(client: &Client, path: &str, accept: &str) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let reply = client.send(Method::GET, path, &[("accept", accept)], "").await?;
        times.push(begin.elapsed());
        ensure!(reply.status.is_success() && !reply.body.is_empty(), "list: {}", reply.status);
    }
    Ok(percentile(&mut times, 0.5))
}

/// Until the bookmark after everything that is there.
async fn watch_list(client: &Client, count: usize) -> Result<f64> {
    let path = format!(
        "{}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=60",
        objects::config_maps(NAMESPACE)
    );
    let begin = Instant::now();
    let mut lines = client.lines(&path, &[]).await?;
    let mut seen = 0;
    loop {
        let event: Value =
            lines.next_json(Duration::from_mins(1)).await?.context("the watch ended early")?;
        if event.get("type").is_some_and(|kind| kind == "BOOKMARK") {
            break;
        }
        seen += 1;
    }
    // kube-root-ca.crt is in every namespace of a cluster with its controllers.
    ensure!((count..=count + 1).contains(&seen), "{seen} of {count} objects");
    Ok(begin.elapsed().as_secs_f64() * 1e3)
}
