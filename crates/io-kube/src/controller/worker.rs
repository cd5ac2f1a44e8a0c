//! The loop of a worker.

use std::{any::Any, future::Future, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt;

use super::{Failure, Next, Pass};
use crate::{
    Ports, Queue,
    metrics::WorkerMetrics,
    queue::{Key, Then},
};

/// How long a key waits for its caches to see its own writes. Longer only when the watch is broken; writes carry
/// resourceVersions, so going on then is safe, merely wasteful.
const CACHE_LAG: Duration = Duration::from_secs(30);

/// What the workers of a controller share.
pub(super) struct Runner<K, F> {
    pub(super) queue: Queue<K>,
    pub(super) deadline: Duration,
    pub(super) ports: Ports,
    pub(super) metrics: Arc<WorkerMetrics>,
    pub(super) reconcile: F,
}

impl<K, F, R> Runner<K, F>
where
    K: Key,
    F: Fn(K, Pass) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Next, Failure>> + Send + 'static,
{
    /// Takes keys until the tasks stop.
    pub(super) async fn work(&self) {
        let mut stopping = self.ports.tasks.stopping();
        loop {
            let key = tokio::select! {
                biased;
                () = &mut stopping => return,
                key = self.queue.next() => key,
            };
            let pass = Pass::default();
            self.metrics.active.add(1);
            let outcome = self.reconcile(&key, pass.clone()).await;
            self.metrics.active.add(-1);
            let then = self.conclude(&key, outcome);
            self.release(key, then, &pass);
        }
    }

    /// One pass, within its time, with panics caught.
    async fn reconcile(&self, key: &K, pass: Pass) -> Result<Next, Failure> {
        let started = self.ports.clock.monotonic();
        let work = async { (self.reconcile)(key.clone(), pass).await };
        let work = AssertUnwindSafe(work).catch_unwind();
        let outcome = match self.ports.within(self.deadline, work).await {
            Some(Ok(outcome)) => outcome,
            Some(Err(panic)) => {
                self.metrics.panics.add(1);
                Err(Failure::Bug(panic_text(&*panic)))
            }
            None => Err(Failure::transient(format_args!(
                "took longer than {} s",
                self.deadline.as_secs()
            ))),
        };
        self.metrics.seconds.observe(self.ports.clock.monotonic().saturating_sub(started));
        outcome
    }

    /// Says what becomes of the key: the one place where outcomes turn into logs, counts and waits.
    fn conclude(&self, key: &K, outcome: Result<Next, Failure>) -> Then {
        let controller = self.queue.name();
        let (count, then) = match outcome {
            Ok(Next::Done) => (&self.metrics.success, Then::Rest),
            Ok(Next::Now) => (&self.metrics.requeue, Then::Again),
            Ok(Next::After(delay)) => (&self.metrics.requeue_after, Then::After(delay)),
            Err(Failure::Waiting { after, reason }) => {
                tracing::debug!(controller, ?key, reason, "waiting");
                (&self.metrics.requeue_after, Then::After(after))
            }
            Err(Failure::Stalled { reason }) => {
                tracing::warn!(controller, ?key, reason, "stalled until somebody acts");
                (&self.metrics.error, Then::Rest)
            }
            Err(Failure::Transient(error)) if self.queue.failures(key) == 0 => {
                // Once is normal: somebody else wrote first.
                tracing::debug!(controller, ?key, %error, "failed; trying again");
                (&self.metrics.error, Then::Retry)
            }
            Err(Failure::Transient(error)) => {
                tracing::warn!(controller, ?key, %error, "failed again; trying again");
                (&self.metrics.error, Then::Retry)
            }
            Err(Failure::Bug(reason)) => {
                tracing::error!(controller, ?key, reason, "failed by a bug; trying again");
                (&self.metrics.error, Then::Retry)
            }
        };
        count.add(1);
        then
    }

    /// Gives the key back to the queue, as soon as the caches have seen what the pass wrote. The worker does not wait.
    fn release(&self, key: K, then: Then, pass: &Pass) {
        let Some(unseen) = pass.unseen() else {
            self.queue.finish(&key, then);
            return;
        };
        let (queue, ports) = (self.queue.clone(), self.ports.clone());
        let settle = async move {
            tokio::select! {
                biased;
                () = ports.tasks.stopping() => {}
                seen = ports.within(CACHE_LAG, unseen) => {
                    if seen.is_none() {
                        tracing::warn!(controller = queue.name(), ?key, "a cache does not see our own write");
                    }
                }
            }
            queue.finish(&key, then);
        };
        self.ports.tasks.spawn("settle", Box::pin(settle));
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.as_deref().unwrap_or("no message"))
}
