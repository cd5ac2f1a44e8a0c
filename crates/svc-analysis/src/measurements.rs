//! Measurements under way. They run beside the workers, so that a slow server holds up nobody
//! else; only Jobs do not, because the cluster runs them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use api_analysis::{AnalysisRun, Measurement};
use io_kube::{ObjectKey, Ports, Queue};
use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot};

use crate::measure::Measurer;

/// Measurements that take no longer are written together, and with what they come to.
pub(crate) const GATHER: Duration = Duration::from_millis(500);

/// What a measurement came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// It was taken, or could not be.
    Measured(Measurement),
    /// The arguments of the run cannot be read, and never will.
    Unresolved(String),
}

/// One measurement per metric at most.
pub(crate) struct Measurements {
    measurer: Measurer,
    ports: Ports,
    /// Gets the runs whose measurements have come to something.
    queue: Queue<ObjectKey>,
    permits: Arc<Semaphore>,
    running: Mutex<BTreeMap<ObjectKey, OfRun>>,
}

/// The measurements of a run, by metric.
struct OfRun {
    uid: Option<String>,
    metrics: BTreeMap<String, Running>,
}

struct Running {
    outcome: Arc<Mutex<Option<Outcome>>>,
    since: Duration,
    /// Dropped with the measurement nobody waits for any more.
    _wanted: oneshot::Sender<()>,
}

impl Measurements {
    pub(crate) fn new(
        measurer: Measurer,
        ports: Ports,
        queue: Queue<ObjectKey>,
        most: usize,
    ) -> Self {
        let permits = Arc::new(Semaphore::new(most));
        Self { measurer, ports, queue, permits, running: Mutex::default() }
    }

    /// How much longer to wait until measurements of a run that have only just begun are worth
    /// writing about.
    pub(crate) fn gathering(&self, key: &ObjectKey) -> Option<Duration> {
        let now = self.ports.clock.monotonic();
        let running = self.running.lock();
        let open = running.get(key)?.metrics.values().filter(|one| one.outcome.lock().is_none());
        let youngest = open.map(|one| one.since).max()?;
        (youngest + GATHER).checked_sub(now).filter(|left| !left.is_zero())
    }

    /// What the measurements of a run have come to. They are handed out until they are forgotten:
    /// a write may fail.
    pub(crate) fn finished(&self, key: &ObjectKey, run: &AnalysisRun) -> Vec<(String, Outcome)> {
        let mut running = self.running.lock();
        // Another run of the same name has nothing to do with these.
        if running.get(key).is_some_and(|of_run| of_run.uid != run.metadata.uid) {
            running.remove(key);
        }
        let metrics = running.get(key).into_iter().flat_map(|of_run| &of_run.metrics);
        let ended = metrics.filter_map(|(metric, one)| {
            let outcome = one.outcome.lock().clone()?;
            Some((metric.clone(), outcome))
        });
        ended.collect()
    }

    /// Whether a metric is being measured.
    pub(crate) fn is_running(&self, key: &ObjectKey, metric: &str) -> bool {
        let running = self.running.lock();
        running.get(key).is_some_and(|of_run| of_run.metrics.contains_key(metric))
    }

    /// Forgets measurements that have been written.
    pub(crate) fn forget<'a>(&self, key: &ObjectKey, metrics: impl Iterator<Item = &'a str>) {
        let mut running = self.running.lock();
        let Some(of_run) = running.get_mut(key) else { return };
        metrics.for_each(|metric| drop(of_run.metrics.remove(metric)));
        if of_run.metrics.is_empty() {
            running.remove(key);
        }
    }

    /// Ends the measurements of a run that are under way; what the others came to still counts.
    pub(crate) fn end(&self, key: &ObjectKey) {
        if let Some(of_run) = self.running.lock().get_mut(key) {
            of_run.metrics.retain(|_, one| one.outcome.lock().is_some());
        }
    }

    /// Ends all measurements of a run, and forgets them.
    pub(crate) fn cancel(&self, key: &ObjectKey) {
        self.running.lock().remove(key);
    }

    /// Starts to measure. The queue gets the run when it has come to something.
    pub(crate) fn start(&self, key: &ObjectKey, run: &Arc<AnalysisRun>, metric: &str) {
        let (wanted, unwanted) = oneshot::channel();
        let outcome = Arc::new(Mutex::new(None));
        let (measurer, permits) = (self.measurer.clone(), self.permits.clone());
        let (run_of_task, name) = (run.clone(), metric.to_owned());
        let measuring = async move {
            // Closed by nobody; the measurement is taken all the same.
            let _permit = permits.acquire_owned().await;
            measurer.measure(&run_of_task, &name).await
        };
        let (slot, queue, woken) = (outcome.clone(), self.queue.clone(), key.clone());
        let stopping = self.ports.tasks.stopping();
        let work = async move {
            tokio::select! {
                biased;
                _ = unwanted => {}
                () = stopping => {}
                measured = measuring => {
                    *slot.lock() = Some(measured);
                    queue.add(woken);
                }
            }
        };
        let since = self.ports.clock.monotonic();
        let one = Running { outcome, since, _wanted: wanted };
        let mut running = self.running.lock();
        let of_run = running
            .entry(key.clone())
            .or_insert_with(|| OfRun { uid: run.metadata.uid.clone(), metrics: BTreeMap::new() });
        of_run.metrics.insert(metric.to_owned(), one);
        drop(running);
        self.ports.tasks.spawn("measurement", Box::pin(work));
    }
}
