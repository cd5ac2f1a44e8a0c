//! As many requests as some connections can carry.

use std::time::{Duration, Instant};

use anyhow::Result;
use futures::future::try_join_all;

use super::server::Server;

/// One path, asked for again and again.
pub(super) struct Load<'a> {
    pub(super) server: &'a Server,
    pub(super) path: &'a str,
    pub(super) connections: usize,
    pub(super) lasts: Duration,
}

impl Load<'_> {
    /// Requests per second.
    pub(super) async fn run(&self) -> Result<f64> {
        let begin = Instant::now();
        let counts = try_join_all((0..self.connections).map(|_| self.connection())).await?;
        let count: u32 = counts.into_iter().sum();
        Ok(f64::from(count) / begin.elapsed().as_secs_f64())
    }

    async fn connection(&self) -> Result<u32> {
        let mut connection = self.server.connect().await?;
        let (begin, mut count) = (Instant::now(), 0);
        while begin.elapsed() < self.lasts {
            connection.get(self.path).await?;
            count += 1;
        }
        Ok(count)
    }
}
