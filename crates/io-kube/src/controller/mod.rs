//! Workers that take keys from a queue, one pass each, and decide what becomes of the key.

mod outcome;
mod pass;
mod worker;

use std::{future::Future, sync::Arc, time::Duration};

use tokio::sync::watch;

pub use outcome::{BoxError, Failure, Next};
pub use pass::Pass;

use self::worker::Runner;
use crate::{
    Ports, Queue,
    metrics::{Family, WorkerMetrics},
    queue::Key,
};

/// No pass takes longer than this unless its controller says so.
const DEADLINE: Duration = Duration::from_mins(5);

/// The keys of a queue and how many of them are worked on at once.
pub struct Controller<K> {
    queue: Queue<K>,
    workers: usize,
    deadline: Duration,
}

/// The workers of a controller.
#[derive(Clone)]
pub struct Workers {
    name: &'static str,
    count: usize,
    metrics: Arc<WorkerMetrics>,
    queue_families: Arc<dyn Fn() -> Vec<Family> + Send + Sync>,
    stalled: Arc<dyn Fn(Duration) -> Option<Duration> + Send + Sync>,
    living: watch::Receiver<usize>,
}

impl<K: Key> Controller<K> {
    /// A controller on `queue` with at most `workers` passes at once (at least one).
    pub fn new(queue: Queue<K>, workers: usize) -> Self {
        Self { queue, workers: workers.max(1), deadline: DEADLINE }
    }

    /// How long a pass may take before it is dropped and counts as failed.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Starts the workers. When the tasks stop they finish the pass that they are in, and take no other.
    pub fn start<F, R>(self, ports: &Ports, reconcile: F) -> Workers
    where
        F: Fn(K, Pass) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Next, Failure>> + Send + 'static,
    {
        let metrics = Arc::new(WorkerMetrics::default());
        let (alive, living) = watch::channel(self.workers);
        let runner = Arc::new(Runner {
            queue: self.queue.clone(),
            deadline: self.deadline,
            ports: ports.clone(),
            metrics: metrics.clone(),
            reconcile,
        });
        let alive = Arc::new(alive);
        for _ in 0..self.workers {
            let (runner, alive) = (runner.clone(), Alive(alive.clone()));
            let work = async move {
                runner.work().await;
                drop(alive);
            };
            ports.tasks.spawn("worker", Box::pin(work));
        }
        let (counted, watched) = (self.queue.clone(), self.queue.clone());
        Workers {
            name: self.queue.name(),
            count: self.workers,
            metrics,
            queue_families: Arc::new(move || {
                counted.metrics().families(counted.name(), counted.depth())
            }),
            stalled: Arc::new(move |limit| watched.stalled(limit)),
            living,
        }
    }
}

impl Workers {
    /// Completes when every worker has ended, which they do when the tasks stop.
    pub async fn stopped(&self) {
        let mut living = self.living.clone();
        // An error says that the last worker is gone, which is what we wait for.
        let _ = living.wait_for(|count| *count == 0).await;
    }

    /// How long the oldest ready key has waited without progress, when longer than `limit`; see [`Queue::stalled`].
    pub fn stalled(&self, limit: Duration) -> Option<Duration> {
        (self.stalled)(limit)
    }

    /// The metrics of the workers and of their queue.
    pub fn metrics(&self) -> Vec<Family> {
        let mut families = self.metrics.families(self.name, self.count);
        families.extend((self.queue_families)());
        families
    }
}

/// Counts a worker as living until dropped.
struct Alive(Arc<watch::Sender<usize>>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}
