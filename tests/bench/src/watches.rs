//! 1,000 watchers, 1,000 events: each gets every one, in order.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Lines};
use http::Method;
use serde_json::Value;

use crate::{
    engine::Engine,
    objects,
    report::{Report, Row},
};

const WATCHERS: usize = 1_000;
const EVENTS: usize = 1_000;
/// Watch streams share connections, as those of one controller do.
const STREAMS_PER_CONNECTION: usize = 50;

pub(crate) async fn measure(engine: &Engine, report: &mut Report) -> Result<()> {
    let writer = engine.client()?;
    objects::namespace(&writer, "watches").await?;
    let path = format!("{}?watch=true&timeoutSeconds=300", objects::config_maps("watches"));
    let mut watchers = Vec::new();
    let mut client: Option<Client> = None;
    for number in 0..WATCHERS {
        if number % STREAMS_PER_CONNECTION == 0 {
            client = Some(engine.client()?);
        }
        let lines = client.as_ref().context("no client")?.lines(&path, &[]).await?;
        ensure!(lines.status.is_success(), "watch: {}", lines.status);
        watchers.push(tokio::spawn(follow(lines)));
    }
    let begin = Instant::now();
    for number in 0..EVENTS {
        let body = objects::config_map(&format!("watch-{number:04}"), 500);
        let reply = writer.json(Method::POST, &objects::config_maps("watches"), &body).await?;
        ensure!(reply.status.is_success(), "create: {}", reply.text());
    }
    let mut complete = 0;
    for (number, watcher) in watchers.into_iter().enumerate() {
        match watcher.await? {
            Ok(()) => complete += 1,
            Err(error) => println!("watcher {number}: {error:#}"),
        }
    }
    let rate = (WATCHERS * EVENTS) as f64 / begin.elapsed().as_secs_f64();
    let what = "watchers that got all 1,000 events in order";
    report.add(Row::exactly(what, f64::from(complete), WATCHERS as f64));
    report.add(Row::figure("events delivered to them (1/s)", rate));
    Ok(())
}

/// Reads all events and checks that none is missing, doubled or out of order.
async fn follow(mut lines: Lines) -> Result<()> {
    let mut next = 0;
    while next < EVENTS {
        let event =
            lines.next_json(Duration::from_mins(2)).await?.context("the stream ended early")?;
        let name =
            event.pointer("/object/metadata/name").and_then(Value::as_str).unwrap_or_default();
        if let Some(number) = name.strip_prefix("watch-") {
            ensure!(number.parse() == Ok(next), "expected event {next}, got {number}");
            next += 1;
        }
    }
    Ok(())
}
