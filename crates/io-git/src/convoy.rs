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

#[cfg(test)]
mod tests {
    use std::{sync::atomic::AtomicUsize, time::Duration};

    use io_runtime::TaskGroup;

    use super::*;

    #[tokio::test]
    async fn late_requests_share_the_next_journey() {
        let (convoy, tasks) = (Arc::new(Convoy::<u32, Vec<u32>>::default()), TaskGroup::new());
        let journeys = Arc::new(AtomicUsize::new(0));
        let gate = Arc::new(tokio::sync::Semaphore::new(0));
        let join = |number| {
            let (convoy, tasks, journeys, gate) =
                (convoy.clone(), tasks.clone(), journeys.clone(), gate.clone());
            async move {
                let travel = move |requests: Vec<u32>| {
                    journeys.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    let gate = gate.clone();
                    async move {
                        let _permit = gate.acquire().await;
                        requests
                    }
                };
                convoy.join(&tasks, number, travel).await
            }
        };
        let mut first = Box::pin(join(1));
        assert!(futures_poll(&mut first).await.is_none());
        let mut late: Vec<_> = (2..5).map(|number| Box::pin(join(number))).collect();
        for waiting in &mut late {
            assert!(futures_poll(waiting).await.is_none());
        }
        gate.add_permits(10);
        assert_eq!(first.await, Some(vec![1]));
        for waiting in late {
            assert_eq!(waiting.await, Some(vec![2, 3, 4]));
        }
        assert_eq!(journeys.load(std::sync::atomic::Ordering::SeqCst), 2);
        assert!(tasks.shutdown(Duration::from_secs(5)).await && convoy.is_idle());
    }

    /// Lets background tasks run, then looks whether `future` is done.
    async fn futures_poll<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
        let looked = std::future::poll_fn(|cx| match std::pin::Pin::new(&mut *future).poll(cx) {
            std::task::Poll::Ready(value) => std::task::Poll::Ready(Some(value)),
            std::task::Poll::Pending => std::task::Poll::Ready(None),
        })
        .await;
        tokio::task::yield_now().await;
        looked
    }

    #[tokio::test]
    async fn a_lost_journey_is_told_and_the_next_one_leaves() {
        let (convoy, tasks) = (Convoy::<(), u32>::default(), TaskGroup::new());
        let lost = convoy.join(&tasks, (), |_| async { panic!("expected in this test") }).await;
        assert_eq!(lost, None);
        assert_eq!(convoy.join(&tasks, (), |_| async { 7 }).await, Some(7));
    }
}
