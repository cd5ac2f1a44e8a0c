//! A namespace goes with everything in it, as that of a deleted Project does.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use http::Method;

use super::Figure;
use crate::{engine::Engine, objects};

const PATIENCE: Duration = Duration::from_mins(2);

pub(super) async fn measure(engine: &Engine, count: usize) -> Result<Figure> {
    let client = engine.client()?;
    objects::namespace(&client, "cascade").await?;
    objects::fill(&client, "cascade", count, 2_000).await?;
    let path = "/api/v1/namespaces/cascade";
    let begin = Instant::now();
    let reply = client.send(Method::DELETE, path, &[], "").await?;
    ensure!(reply.status.is_success(), "delete: {}", reply.text());
    while client.get(path).await?.status != 404 {
        ensure!(begin.elapsed() < PATIENCE, "the namespace does not go");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let took = begin.elapsed().as_secs_f64();
    Ok(Figure::at_most("delete of a namespace with 1,000 objects (s)", took, 1.0))
}
