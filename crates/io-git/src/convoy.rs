//! Requests that wait for the same journey leave together.
//!
//! A request that arrives while a journey is under way does not join it, because its answer may be older than the request;
//! all such requests share the next one. However many callers there are, at most two journeys serve them. A journey goes on
//! when its callers give up: what it brings home is there for the next ones.

use std::{future::Future, mem, sync::Arc};

use core_clock::Tasks;
use parking_lot::Mutex;
use tokio::sync::watch;

/// Requests of type `R`, answered together with a `V`.
pub(crate) struct Convoy<R, V> {
    state: Arc<Mutex<State<R, V>>>,
}

struct State<R, V> {
    underway: bool,
    next: Option<Batch<R, V>>,
}

struct Batch<R, V> {
    requests: Vec<R>,
    arrived: watch::Sender<Option<V>>,
}

impl<R, V> Default for Convoy<R, V> {
    fn default() -> Self {
        Self { state: Arc::new(Mutex::new(State { underway: false, next: None })) }
    }
}

impl<R: Send + 'static, V: Clone + Send + Sync + 'static> Convoy<R, V> {
    /// Adds `request` to the next journey and waits for what it brings; `None` when the journey was lost, because it
    /// panicked or the process is ending.
    pub(crate) async fn join<F, Fut>(&self, tasks: &dyn Tasks, request: R, travel: F) -> Option<V>
    where
        F: Fn(Vec<R>) -> Fut + Send + 'static,
        Fut: Future<Output = V> + Send + 'static,
    {
        let (mut arrival, leads) = self.board(request);
        if leads {
            let driver = Driver { state: self.state.clone(), done: false };
            tasks.spawn("git journey", Box::pin(driver.drive(travel)));
        }
        let arrived = arrival.wait_for(Option::is_some).await.ok()?;
        arrived.clone()
    }

    /// Whether nobody travels or waits.
    pub(crate) fn is_idle(&self) -> bool {
        let state = self.state.lock();
        !state.underway && state.next.is_none()
    }

    fn board(&self, request: R) -> (watch::Receiver<Option<V>>, bool) {
        let mut state = self.state.lock();
        let batch = state.next.get_or_insert_with(|| Batch {
            requests: Vec::new(),
            arrived: watch::Sender::new(None),
        });
        batch.requests.push(request);
        let arrival = batch.arrived.subscribe();
        let leads = !mem::replace(&mut state.underway, true);
        (arrival, leads)
    }
}

/// Makes journeys until nobody waits.
struct Driver<R, V> {
    state: Arc<Mutex<State<R, V>>>,
    done: bool,
}

impl<R, V> Driver<R, V> {
    async fn drive<F, Fut>(mut self, travel: F)
    where
        F: Fn(Vec<R>) -> Fut,
        Fut: Future<Output = V>,
    {
        while let Some(batch) = self.depart() {
            let brought = travel(batch.requests).await;
            batch.arrived.send_replace(Some(brought));
        }
        self.done = true;
    }

    fn depart(&self) -> Option<Batch<R, V>> {
        let mut state = self.state.lock();
        let batch = state.next.take();
        state.underway = batch.is_some();
        batch
    }
}

impl<R, V> Drop for Driver<R, V> {
    fn drop(&mut self) {
        if !self.done {
            // Lost on the way: those who wait are told, and the next caller leads anew.
            let mut state = self.state.lock();
            state.underway = false;
            state.next = None;
        }
    }
}
