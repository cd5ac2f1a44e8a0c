//! Many streams over some Projects: how soon each client is told of a change.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use dev_testkit::Client;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::json;

use super::server::{Server, SharedConnection};
use crate::{
    pipeline::project::Project,
    process,
    report::{Report, Row},
};

const PROJECTS: usize = 10;
const EVENTS_PER_SECOND: u64 = 100;
/// The size of the objects that change.
const BYTES: usize = 2_000;
const STREAMS_PER_CONNECTION: usize = 50;
const PATIENCE: Duration = Duration::from_mins(1);
/// What stands before the time in an object.
const MARK: &str = "\"sent\":\"";

/// How much is measured.
pub(super) struct Sizes {
    pub(super) streams: usize,
    pub(super) seconds: u64,
}

pub(super) async fn measure(
    directory: &Path,
    client: &Client,
    sizes: &Sizes,
    report: &mut Report,
) -> Result<()> {
    for number in 0..PROJECTS {
        let project = Project::create(client, &format!("streams-{number}")).await?;
        project.add_warehouse("w").await?;
    }
    let server = Server::start(directory).await?;
    let begin = Arc::new(Instant::now());
    let events = sizes.seconds * EVENTS_PER_SECOND;
    let each = events / PROJECTS as u64;
    let mut clients = Vec::new();
    let mut shared: Option<SharedConnection> = None;
    for number in 0..sizes.streams {
        if number % STREAMS_PER_CONNECTION == 0 {
            shared = Some(server.share().await?);
        }
        let path = format!("/v1beta1/projects/streams-{}/warehouses?watch=true", number % PROJECTS);
        let body = shared.as_mut().context("no connection")?.stream(&path).await?;
        clients.push(tokio::spawn(follow(body, each, begin.clone())));
    }
    write(client, events, &begin).await?;
    let mut delays = Vec::new();
    for client in clients {
        delays.extend(tokio::time::timeout(PATIENCE, client).await???);
    }
    delays.sort();
    let expected = each as usize * sizes.streams;
    ensure!(delays.len() == expected, "{} of {expected} events were told", delays.len());
    let late = delays.get(delays.len() * 99 / 100).copied().unwrap_or_default();
    let what = format!(
        "REST: {} streams, 100 changes/s of 2 kB, p99 from write to client (ms)",
        sizes.streams
    );
    report.add(Row::at_most(&what, late.as_secs_f64() * 1e3, 250.0));
    let resident = process::most_resident(server.pid()?)? as f64 / 1e6;
    let what = format!("REST: {} streams, most resident memory (MB)", sizes.streams);
    report.add(Row::at_most(&what, resident, 150.0));
    server.stop().await
}

/// Changes Warehouses of the Projects in turn. Each change carries the time at which it was sent.
async fn write(client: &Client, events: u64, begin: &Instant) -> Result<()> {
    let mut tick = tokio::time::interval(Duration::from_micros(1_000_000 / EVENTS_PER_SECOND));
    let filling = "x".repeat(BYTES.saturating_sub(700));
    for number in 0..events {
        tick.tick().await;
        let project = Project { client, name: format!("streams-{}", number % PROJECTS as u64) };
        let sent = begin.elapsed().as_micros().to_string();
        let annotations = json!({"sent": sent, "filling": filling});
        let path = format!("{}/w", project.path("warehouses"));
        project.patch(&path, &json!({"metadata": {"annotations": annotations}})).await?;
    }
    Ok(())
}

/// How late each of `events` changes was.
async fn follow(mut body: Incoming, events: u64, begin: Arc<Instant>) -> Result<Vec<Duration>> {
    let (mut delays, mut text) = (Vec::new(), Vec::new());
    while (delays.len() as u64) < events {
        let frame = body.frame().await.context("the stream ended")??;
        let Ok(data) = frame.into_data() else { continue };
        text.extend_from_slice(&data);
        while let Some(end) = text.windows(2).position(|pair| pair == b"\n\n") {
            let event: Vec<u8> = text.drain(..end + 2).collect();
            let now = begin.elapsed();
            delays.extend(sent(&event).map(|sent| now.saturating_sub(sent)));
        }
    }
    Ok(delays)
}

/// When a change was sent; nothing for what was there before.
fn sent(event: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(event).ok()?;
    let (_, rest) = text.split_once(MARK)?;
    let (micros, _) = rest.split_once('"')?;
    Some(Duration::from_micros(micros.parse().ok()?))
}
