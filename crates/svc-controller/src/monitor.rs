//! What the process tells about the controller while it runs.

use std::{sync::Arc, time::Duration};

use io_kube::{Family, Workers};
use parking_lot::RwLock;

/// A view into a running controller. Clones share it.
#[derive(Clone, Default)]
pub struct Monitor {
    workers: Arc<RwLock<Vec<Workers>>>,
}

impl Monitor {
    /// Why it does not work yet.
    pub fn unready(&self) -> Option<&'static str> {
        self.workers.read().is_empty().then_some("caches are not filled")
    }

    /// How long the oldest ready key has waited without progress, when longer than `limit`.
    pub fn stalled(&self, limit: Duration) -> Option<Duration> {
        self.workers.read().iter().filter_map(|workers| workers.stalled(limit)).max()
    }

    /// The metrics of all controllers.
    pub fn metrics(&self) -> Vec<Family> {
        self.workers.read().iter().flat_map(Workers::metrics).collect()
    }

    pub(crate) fn set(&self, workers: Vec<Workers>) {
        *self.workers.write() = workers;
    }

    /// Completes when every worker has ended.
    pub(crate) async fn stopped(&self) {
        let workers = self.workers.read().clone();
        for workers in workers {
            workers.stopped().await;
        }
    }
}
