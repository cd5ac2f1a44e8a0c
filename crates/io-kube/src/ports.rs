//! The ports that everything here runs on.

use std::{future::Future, sync::Arc, time::Duration};

use core_clock::{Clock, Entropy, Tasks};

/// Time, randomness and tasks of a component.
#[derive(Clone)]
pub struct Ports {
    /// Waits, deadlines and timestamps.
    pub clock: Arc<dyn Clock>,
    /// Jitter and names.
    pub entropy: Arc<dyn Entropy>,
    /// Where background work runs, and what tells it to stop.
    pub tasks: Arc<dyn Tasks>,
}

impl Ports {
    /// The outcome of `work`, or `None` when it takes longer than `limit`; then it is dropped.
    pub async fn within<T>(&self, limit: Duration, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            outcome = work => Some(outcome),
            () = self.clock.sleep(limit) => None,
        }
    }
}
