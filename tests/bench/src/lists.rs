//! A list of 10,000 objects over HTTPS, without gzip.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use http::Method;

use crate::{engine::Engine, objects, process};

const OBJECTS: usize = 10_000;
const OBJECT_BYTES: usize = 2_000;
const ROUNDS: u32 = 10;

/// One list, on average.
pub(crate) struct List {
    pub(crate) wall: Duration,
    pub(crate) processor: Duration,
}

/// Fills a namespace and lists it ten times.
pub(crate) async fn measure(engine: &Engine) -> Result<List> {
    let client = engine.client()?;
    objects::namespace(&client, "lists").await?;
    objects::fill(&client, "lists", OBJECTS, OBJECT_BYTES).await?;
    let path = objects::config_maps("lists");
    let before = process::processor_time(engine.pids())?;
    let mut walls = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let reply = client.send(Method::GET, &path, &[("accept", "application/json")], "").await?;
        walls.push(begin.elapsed());
        ensure!(
            reply.body.len() > OBJECTS * OBJECT_BYTES / 2,
            "short list: {} bytes",
            reply.body.len()
        );
    }
    walls.sort();
    let processor = process::processor_time(engine.pids())?.saturating_sub(before) / ROUNDS;
    let wall = walls.get(walls.len() / 2).copied().unwrap_or_default();
    println!("{}: list of {OBJECTS} in {wall:.1?}, {processor:.1?} of processor time", engine.name);
    Ok(List { wall, processor })
}
