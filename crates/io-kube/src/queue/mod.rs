//! Keys that wait for a worker: each once, in turn, and no key with two workers.

mod state;

use std::{fmt, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::sync::Notify;

use self::state::State;
use crate::{Backoff, Ports, metrics::QueueMetrics};

/// What a queue can hold.
pub trait Key: Ord + Clone + fmt::Debug + Send + Sync + 'static {}
impl<T: Ord + Clone + fmt::Debug + Send + Sync + 'static> Key for T {}

/// Waits of a key that fails again and again.
const BACKOFF: Backoff = Backoff { base: Duration::from_millis(50), max: Duration::from_mins(2) };

/// The queue of one controller. Clones share it.
pub struct Queue<K> {
    inner: Arc<Inner<K>>,
}

struct Inner<K> {
    name: &'static str,
    ports: Ports,
    backoff: Backoff,
    group: Box<dyn Fn(&K) -> String + Send + Sync>,
    state: Mutex<State<K>>,
    changed: Notify,
    metrics: QueueMetrics,
}

/// What happens to a key when its worker is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Nothing until something adds it.
    Rest,
    /// At once again.
    Again,
    /// Again after a while.
    After(Duration),
    /// Again after the back-off of its failures in a row.
    Retry,
}

impl<K> Clone for Queue<K> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<K: Key> Queue<K> {
    /// A queue in which keys wait in the order they came. `name` labels its metrics.
    pub fn new(name: &'static str, ports: &Ports) -> Self {
        Self::fair(name, ports, |_| String::new())
    }

    /// A queue whose groups, such as Projects, take turns: a group with many keys does not hold up the others.
    pub fn fair(
        name: &'static str,
        ports: &Ports,
        group: impl Fn(&K) -> String + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                name,
                ports: ports.clone(),
                backoff: BACKOFF,
                group: Box::new(group),
                state: Mutex::new(State::new()),
                changed: Notify::new(),
                metrics: QueueMetrics::default(),
            }),
        }
    }

    /// The name that labels its metrics.
    pub fn name(&self) -> &'static str {
        self.inner.name
    }

    /// Makes a worker look at `key`. When one is at it now, it is looked at once more afterwards.
    pub fn add(&self, key: K) {
        let group = (self.inner.group)(&key);
        if self.inner.state.lock().add(key, group, self.now()) {
            self.inner.metrics.adds.add(1);
            self.inner.changed.notify_one();
        }
    }

    /// Makes a worker look at `key` after `delay`, unless one looks at it before.
    pub fn add_after(&self, key: K, delay: Duration) {
        if delay.is_zero() {
            self.add(key);
        } else if self.inner.state.lock().delay(key, self.now() + delay) {
            // Every waiting worker measured its sleep by what was the earliest until now.
            self.inner.changed.notify_waiters();
        }
    }

    /// How many keys are ready for a worker.
    pub fn depth(&self) -> usize {
        let mut state = self.inner.state.lock();
        state.promote(self.now(), &*self.inner.group);
        state.depth()
    }

    /// How long the oldest ready key has waited, when that is longer than `limit` and no worker finished anything in
    /// that time either. Then liveness should fail. The limit must be longer than any pass may take.
    pub fn stalled(&self, limit: Duration) -> Option<Duration> {
        let now = self.now();
        let mut state = self.inner.state.lock();
        state.promote(now, &*self.inner.group);
        state.waiting_since().map(|since| now.saturating_sub(since)).filter(|age| *age > limit)
    }

    /// How often in a row the key has failed.
    pub(crate) fn failures(&self, key: &K) -> u32 {
        self.inner.state.lock().failures(key)
    }

    pub(crate) fn metrics(&self) -> &QueueMetrics {
        &self.inner.metrics
    }

    /// The next key, which is this caller's until [`Queue::finish`].
    pub(crate) async fn next(&self) -> K {
        loop {
            let mut changed = std::pin::pin!(self.inner.changed.notified());
            changed.as_mut().enable();
            let due = match self.take() {
                Ok(key) => return key,
                Err(due) => due,
            };
            match due {
                None => changed.await,
                Some(due) => {
                    let sleep = self.inner.ports.clock.sleep(due.saturating_sub(self.now()));
                    tokio::select! {
                        biased;
                        () = changed => {}
                        () = sleep => {}
                    }
                }
            }
        }
    }

    /// The next ready key, or when the earliest delayed one is due.
    fn take(&self) -> Result<K, Option<Duration>> {
        let now = self.now();
        let mut state = self.inner.state.lock();
        let promoted = state.promote(now, &*self.inner.group);
        self.inner.metrics.adds.add(promoted);
        let Some((key, since)) = state.take(now) else { return Err(state.next_due()) };
        if state.depth() > 0 {
            // One wake-up may stand for several keys that became due together.
            self.inner.changed.notify_one();
        }
        drop(state);
        self.inner.metrics.queue_seconds.observe(now.saturating_sub(since));
        Ok(key)
    }

    /// The caller is done with `key`.
    pub(crate) fn finish(&self, key: &K, then: Then) {
        let now = self.now();
        let worked = {
            let mut state = self.inner.state.lock();
            let group = (self.inner.group)(key);
            let failures =
                if then == Then::Retry { state.failed(key) } else { state.recovered(key) };
            let (worked, ready) = state.finish(key, group, now);
            if ready {
                self.inner.metrics.adds.add(1);
                self.inner.changed.notify_one();
            }
            drop(state);
            self.follow_up(key, then, failures);
            worked
        };
        self.inner.metrics.work_seconds.observe(worked);
    }

    fn follow_up(&self, key: &K, then: Then, failures: u32) {
        match then {
            Then::Rest => {}
            Then::Again => self.add(key.clone()),
            Then::After(delay) => self.add_after(key.clone(), delay),
            Then::Retry => {
                self.inner.metrics.retries.add(1);
                let delay = self.inner.backoff.delay(failures, &*self.inner.ports.entropy);
                self.add_after(key.clone(), delay);
            }
        }
    }

    fn now(&self) -> Duration {
        self.inner.ports.clock.monotonic()
    }
}

#[cfg(test)]
mod tests;
