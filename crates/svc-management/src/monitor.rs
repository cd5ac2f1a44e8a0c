//! What the process tells about the management controller while it runs.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use io_kube::{Family, Workers};
use parking_lot::RwLock;

/// A view into a running management controller. Clones share it.
#[derive(Clone, Default)]
pub struct Monitor {
    workers: Arc<RwLock<Vec<Workers>>>,
}

impl Monitor {
    /// Whether it leads and its caches are filled.
    pub fn is_working(&self) -> bool {
        !self.workers.read().is_empty()
    }

    /// How long the oldest ready key has waited without progress, when longer than `limit`.
    pub fn stalled(&self, limit: Duration) -> Option<Duration> {
        self.workers.read().iter().filter_map(|workers| workers.stalled(limit)).max()
    }

    /// The metrics of all controllers.
    pub fn metrics(&self) -> Vec<Family> {
        self.workers.read().iter().flat_map(Workers::metrics).collect()
    }

    /// Completes when every worker has ended.
    pub(crate) async fn stopped(&self) {
        let workers = self.workers.read().clone();
        join_all(workers.iter().map(Workers::stopped)).await;
    }

    pub(crate) fn set(&self, workers: Vec<Workers>) {
        *self.workers.write() = workers;
    }
}
