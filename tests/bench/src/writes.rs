//! Acknowledged, fsynced creates from 64 clients.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use http::Method;

use crate::{engine::Engine, objects};

const CLIENTS: usize = 64;
const OBJECT_BYTES: usize = 1_000;
const TIME: Duration = Duration::from_secs(10);

/// Creates of 1 kB objects.
pub(crate) struct Creates {
    pub(crate) per_second: f64,
    pub(crate) median: Duration,
}

/// Writes for ten seconds.
pub(crate) async fn measure(engine: &Engine) -> Result<Creates> {
    objects::namespace(&engine.client()?, "writes").await?;
    let numbers = Arc::new(AtomicUsize::new(0));
    let begin = Instant::now();
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let (client, numbers) = (engine.client()?, numbers.clone());
        clients.push(tokio::spawn(async move {
            let path = objects::config_maps("writes");
            let mut latencies = Vec::new();
            while begin.elapsed() < TIME {
                let number = numbers.fetch_add(1, Ordering::Relaxed);
                let body = objects::config_map(&format!("write-{number}"), OBJECT_BYTES);
                let sent = Instant::now();
                let reply = client.json(Method::POST, &path, &body).await?;
                ensure!(reply.status.is_success(), "create: {}", reply.text());
                latencies.push(sent.elapsed());
            }
            Ok(latencies)
        }));
    }
    let mut latencies = Vec::new();
    for client in clients {
        latencies.extend(client.await??);
    }
    let elapsed = begin.elapsed();
    latencies.sort();
    let median = latencies.get(latencies.len() / 2).copied().unwrap_or_default();
    println!("{}: {} creates in {elapsed:.1?}", engine.name, latencies.len());
    Ok(Creates { per_second: latencies.len() as f64 / elapsed.as_secs_f64(), median })
}
