//! What the process tells about the controller while it runs.

use std::{sync::Arc, time::Duration};

use io_kube::{Family, Workers};
use parking_lot::RwLock;

/// A view into a running controller. Clones share it.
#[derive(Clone, Default)]
pub struct Monitor {
    workers: Arc<RwLock<Vec<Workers>>>,
    figures: Arc<RwLock<Vec<Figures>>>,
}

/// What a controller counts beside its workers.
type Figures = Box<dyn Fn() -> Vec<Family> + Send + Sync>;

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
        let mut families: Vec<_> = self.workers.read().iter().flat_map(Workers::metrics).collect();
        families.extend(self.figures.read().iter().flat_map(|figures| figures()));
        families
    }

    /// Adds what a controller counts.
    pub(crate) fn count(&self, figures: impl Fn() -> Vec<Family> + Send + Sync + 'static) {
        self.figures.write().push(Box::new(figures));
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
