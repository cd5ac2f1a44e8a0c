//! One client after the other: how long a request takes. Then 32 of them at once.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dev_testkit::Client;
use http::Method;

use super::{Figure, Figures, OBJECT_BYTES, percentile};
use crate::{engine::Engine, objects};

const NAMESPACE: &str = "latency";
const CLIENTS: usize = 32;
const MERGE: &[(&str, &str)] = &[("content-type", "application/merge-patch+json")];

pub(super) async fn measure(engine: &Engine, rounds: usize) -> Result<Figures> {
    let client = engine.client()?;
    objects::namespace(&client, NAMESPACE).await?;
    let (mut creates, mut patches, mut gets) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..rounds {
        let one = format!("{}/latency-{number}", objects::config_maps(NAMESPACE));
        creates.push(create(&client, &format!("latency-{number}")).await?);
        let change = format!("{{\"data\":{{\"round\":\"{number}\"}}}}");
        patches.push(timed(client.send(Method::PATCH, &one, MERGE, change)).await?);
        gets.push(timed(client.send(Method::GET, &one, &[], "")).await?);
    }
    Ok(vec![
        Figure::at_most("GET of 5 kB, HTTPS, median (ms)", percentile(&mut gets, 0.5), 0.3),
        Figure::plain("create of 5 kB, one client, median (ms)", percentile(&mut creates, 0.5)),
        Figure::at_most("the same, 99th percentile (ms)", percentile(&mut creates, 0.99), 15.0),
        Figure::plain("merge patch, one client, median (ms)", percentile(&mut patches, 0.5)),
        Figure::at_most(
            "merge patch, one client, 99th percentile (ms)",
            percentile(&mut patches, 0.99),
            15.0,
        ),
        Figure::at_least(
            "fsynced creates of 5 kB, 32 clients (1/s)",
            crowd(engine, rounds * 5).await?,
            5_000.0,
        ),
    ])
}

/// Creates from many clients, in one second.
async fn crowd(engine: &Engine, count: usize) -> Result<f64> {
    let begin = Instant::now();
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let client = engine.client()?;
        clients.push(tokio::spawn(async move {
            for at in 0..count / CLIENTS {
                create(&client, &format!("crowd-{number}-{at}")).await?;
            }
            anyhow::Ok(())
        }));
    }
    for client in clients {
        client.await??;
    }
    Ok((count / CLIENTS * CLIENTS) as f64 / begin.elapsed().as_secs_f64())
}

async fn create(client: &Client, name: &str) -> Result<Duration> {
    let body = objects::config_map(name, OBJECT_BYTES);
    timed(client.json(Method::POST, &objects::config_maps(NAMESPACE), &body)).await
}

async fn timed(request: impl Future<Output = Result<dev_testkit::Reply>>) -> Result<Duration> {
    let begin = Instant::now();
    let reply = request.await?;
    let took = begin.elapsed();
    ensure!(reply.status.is_success(), "{}", reply.text());
    Ok(took)
}
