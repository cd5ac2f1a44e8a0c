//! From the answer of a write to its watchers, and how many events go out in a second.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Lines};
use http::Method;

use super::{Figure, Figures, percentile};
use crate::{engine::Engine, objects};

const WATCHERS: usize = 200;
const EVENTS: usize = 100;
/// Watch streams share connections, as those of one controller do.
const STREAMS_PER_CONNECTION: usize = 50;
/// Events for the many watchers, written by many clients.
const CROWD_EVENTS: usize = 200;
const WRITERS: usize = 10;

pub(super) async fn measure(engine: &Engine, crowd: usize) -> Result<Figures> {
    let mut lags = lags(engine).await?;
    Ok(vec![
        Figure::at_most(
            "from a write's answer to the last of 200 watchers, 99th percentile (ms)",
            percentile(&mut lags, 0.99),
            5.0,
        ),
        Figure::at_least(
            "events delivered to 2,000 watchers (1/s)",
            rate(engine, crowd).await?,
            10_000.0,
        ),
    ])
}

/// Of every event, how long after its answer each watcher had it. On two cores the clients of the test are most of it.
async fn lags(engine: &Engine) -> Result<Vec<Duration>> {
    let writer = engine.client()?;
    objects::namespace(&writer, "lags").await?;
    let watchers = open(engine, "lags", WATCHERS).await?;
    let arrivals: Vec<_> =
        watchers.into_iter().map(|lines| tokio::spawn(arrivals(lines, EVENTS))).collect();
    let mut answered = Vec::new();
    for number in 0..EVENTS {
        create(&writer, "lags", &format!("watched-{number:04}")).await?;
        answered.push(Instant::now());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut lags = Vec::new();
    for task in arrivals {
        for (arrived, answered) in task.await??.iter().zip(&answered) {
            lags.push(arrived.saturating_duration_since(*answered));
        }
    }
    Ok(lags)
}

async fn rate(engine: &Engine, crowd: usize) -> Result<f64> {
    objects::namespace(&engine.client()?, "crowd").await?;
    let watchers = open(engine, "crowd", crowd).await?;
    let begin = Instant::now();
    let readers: Vec<_> =
        watchers.into_iter().map(|lines| tokio::spawn(arrivals(lines, CROWD_EVENTS))).collect();
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let client = Arc::new(engine.client()?);
        writers.push(tokio::spawn(async move {
            for number in 0..CROWD_EVENTS / WRITERS {
                create(&client, "crowd", &format!("watched-{writer}-{number}")).await?;
            }
            anyhow::Ok(())
        }));
    }
    for task in writers {
        task.await??;
    }
    for task in readers {
        task.await??;
    }
    Ok((crowd * CROWD_EVENTS) as f64 / begin.elapsed().as_secs_f64())
}

async fn open(engine: &Engine, namespace: &str, count: usize) -> Result<Vec<Lines>> {
    let path = format!("{}?watch=true&timeoutSeconds=300", objects::config_maps(namespace));
    let mut watchers = Vec::new();
    let mut client: Option<Client> = None;
    for number in 0..count {
        if number % STREAMS_PER_CONNECTION == 0 {
            client = Some(engine.client()?);
        }
        let lines = client.as_ref().context("no client")?.lines(&path, &[]).await?;
        ensure!(lines.status.is_success(), "watch: {}", lines.status);
        watchers.push(lines);
    }
    Ok(watchers)
}

/// When each event came.
async fn arrivals(mut lines: Lines, count: usize) -> Result<Vec<Instant>> {
    let mut arrivals = Vec::with_capacity(count);
    while arrivals.len() < count {
        let line = lines.next().await?.context("the watch ended early")?;
        if line.windows(9).any(|part| part == b"\"watched-") {
            arrivals.push(Instant::now());
        }
    }
    Ok(arrivals)
}

async fn create(client: &Client, namespace: &str, name: &str) -> Result<()> {
    let body = objects::config_map(name, 500);
    let reply = client.json(Method::POST, &objects::config_maps(namespace), &body).await?;
    ensure!(reply.status.is_success(), "create: {}", reply.text());
    Ok(())
}
