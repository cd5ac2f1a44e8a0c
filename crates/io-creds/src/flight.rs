//! Work that many ask for and one does.
//!
//! The first to ask starts it, detached: it goes on when that caller gives up, because the next one
//! will want the outcome. Whoever asks meanwhile waits for the same outcome. It has a deadline of
//! its own, and ends with an error for everybody when it panics.

use std::{collections::BTreeMap, future::Future, sync::Arc, time::Duration};

use futures::{FutureExt, future::Shared};
use io_kube::Ports;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Why a load brought nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// It took longer than it may.
    #[error("no answer within {} s", .0.as_secs())]
    Late(Duration),
    /// It panicked, or the process is stopping.
    #[error("interrupted")]
    Interrupted,
}

/// Loads that are under way, by key.
pub(crate) struct Flights<K: Ord, V> {
    running: Arc<Running<K, V>>,
    ports: Ports,
}

type Landed<V> = Result<V, Lost>;
type Running<K, V> = Mutex<BTreeMap<K, Shared<oneshot::Receiver<Landed<V>>>>>;

impl<K, V> Flights<K, V>
where
    K: Ord + Clone + Send + 'static,
    V: Clone + Send + Sync + 'static,
{
    pub(crate) fn new(ports: &Ports) -> Self {
        Self { running: Arc::default(), ports: ports.clone() }
    }

    /// The outcome of the load under `key`, started here unless it is under way.
    ///
    /// Cancel safety: dropping this leaves the load running.
    pub(crate) async fn join<F>(
        &self,
        key: &K,
        limit: Duration,
        load: impl FnOnce() -> F,
    ) -> Landed<V>
    where
        F: Future<Output = V> + Send + 'static,
    {
        let (sender, fresh) = oneshot::channel();
        let fresh = fresh.shared();
        let flight = self.running.lock().entry(key.clone()).or_insert(fresh.clone()).clone();
        // Outside of the lock, because a task that cannot run any more gives up its place at once.
        if flight.ptr_eq(&fresh) {
            self.start(key, limit, load(), sender);
        }
        flight.await.unwrap_or(Err(Lost::Interrupted))
    }

    fn start(
        &self,
        key: &K,
        limit: Duration,
        load: impl Future<Output = V> + Send + 'static,
        sender: oneshot::Sender<Landed<V>>,
    ) {
        let place = Place { running: self.running.clone(), key: key.clone() };
        let clock = self.ports.clock.clone();
        let stopping = self.ports.tasks.stopping();
        let task = async move {
            // Given up before the outcome is known to anybody, so that who asks afterwards loads anew.
            let place = place;
            let landed = tokio::select! {
                biased;
                value = load => Ok(value),
                () = stopping => Err(Lost::Interrupted),
                () = clock.sleep(limit) => Err(Lost::Late(limit)),
            };
            drop(place);
            // Nobody may be waiting any more; the value was kept by the load itself.
            let _ = sender.send(landed);
        };
        self.ports.tasks.spawn("credential load", Box::pin(task));
    }
}

/// The place of a load among those under way; given up also when the load panics.
struct Place<K: Ord, V> {
    running: Arc<Running<K, V>>,
    key: K,
}

impl<K: Ord, V> Drop for Place<K, V> {
    fn drop(&mut self) {
        self.running.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use core_clock::{ManualClock, SeededEntropy, Time};
    use io_runtime::TaskGroup;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    fn start() -> (Flights<u8, u8>, ManualClock, TaskGroup) {
        let (clock, tasks) = (ManualClock::new(Time::default()), TaskGroup::new());
        let ports = Ports {
            clock: Arc::new(clock.clone()),
            entropy: Arc::new(SeededEntropy::new(1)),
            tasks: Arc::new(tasks.clone()),
        };
        (Flights::new(&ports), clock, tasks)
    }

    async fn settle() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_load_that_panics_is_an_error_for_its_callers_and_the_next_one_starts_anew() {
        let (flights, ..) = start();
        let panicking = || async { panic!("injected") };
        assert_eq!(flights.join(&1, LIMIT, panicking).await, Err(Lost::Interrupted));
        assert_eq!(flights.join(&1, LIMIT, || async { 7 }).await, Ok(7));
    }

    #[tokio::test]
    async fn a_load_has_a_deadline_of_its_own() {
        let (flights, clock, _) = start();
        let mut waiting = Box::pin(flights.join(&1, LIMIT, std::future::pending));
        assert!((&mut waiting).now_or_never().is_none());
        settle().await;
        clock.advance(LIMIT);
        assert_eq!(waiting.await, Err(Lost::Late(LIMIT)));
    }

    #[tokio::test]
    async fn a_load_ends_when_the_process_stops() {
        let (flights, _, tasks) = start();
        let mut waiting = Box::pin(flights.join(&1, LIMIT, std::future::pending));
        assert!((&mut waiting).now_or_never().is_none());
        assert!(tasks.shutdown(Duration::from_secs(5)).await);
        assert_eq!(waiting.await, Err(Lost::Interrupted));
    }

    #[tokio::test]
    async fn loads_of_different_keys_do_not_wait_for_each_other() {
        let (flights, ..) = start();
        assert!(flights.join(&1, LIMIT, std::future::pending).now_or_never().is_none());
        assert_eq!(flights.join(&2, LIMIT, || async { 2 }).await, Ok(2));
    }
}
