//! The clock port, and a clock that moves only when told to.

use std::{
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use parking_lot::Mutex;

use crate::Time;

/// A wait that ends when the clock says so.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where time comes from. Passed as `Arc<dyn Clock>`.
pub trait Clock: Send + Sync {
    /// The wall clock.
    fn now(&self) -> Time;
    /// Time since some fixed moment; never goes back, for measuring and for deadlines.
    fn monotonic(&self) -> Duration;
    /// Completes after `duration`.
    fn sleep(&self, duration: Duration) -> Sleep;
}

/// A clock for tests and simulation: time stands still until [`ManualClock::advance`].
#[derive(Clone)]
pub struct ManualClock {
    state: Arc<Mutex<State>>,
}

struct State {
    start: Time,
    elapsed: Duration,
    next_id: u64,
    // Ordered by due time, then by creation, so that wake-ups are deterministic.
    sleepers: BTreeMap<(Duration, u64), Option<Waker>>,
}

impl ManualClock {
    /// A clock that shows `start`.
    pub fn new(start: Time) -> Self {
        Self {
            state: Arc::new(Mutex::new(State {
                start,
                elapsed: Duration::ZERO,
                next_id: 0,
                sleepers: BTreeMap::new(),
            })),
        }
    }

    /// Moves time forward and wakes every sleeper that is due, earliest first.
    pub fn advance(&self, by: Duration) {
        let due = {
            let mut state = self.state.lock();
            state.elapsed += by;
            let first_later = (state.elapsed + Duration::from_nanos(1), 0);
            let later = state.sleepers.split_off(&first_later);
            std::mem::replace(&mut state.sleepers, later)
        };
        for waker in due.into_values().flatten() {
            waker.wake();
        }
    }

    /// How long until the next sleeper is due; `None` when nobody sleeps.
    pub fn next_due(&self) -> Option<Duration> {
        let state = self.state.lock();
        state.sleepers.keys().next().map(|(due, _)| due.saturating_sub(state.elapsed))
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Time {
        let state = self.state.lock();
        state.start + state.elapsed
    }

    fn monotonic(&self) -> Duration {
        self.state.lock().elapsed
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        let mut state = self.state.lock();
        let key = (state.elapsed + duration, state.next_id);
        state.next_id += 1;
        state.sleepers.insert(key, None);
        Box::pin(ManualSleep { clock: self.clone(), key })
    }
}

struct ManualSleep {
    clock: ManualClock,
    key: (Duration, u64),
}

impl Future for ManualSleep {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.clock.state.lock();
        if state.elapsed >= self.key.0 {
            state.sleepers.remove(&self.key);
            return Poll::Ready(());
        }
        state.sleepers.insert(self.key, Some(cx.waker().clone()));
        Poll::Pending
    }
}

impl Drop for ManualSleep {
    fn drop(&mut self) {
        self.clock.state.lock().sleepers.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn a_sleeper_wakes_when_time_has_passed_and_not_before() {
        let clock = ManualClock::new(Time::from_seconds(100));
        let mut sleep = clock.sleep(Duration::from_secs(5));
        assert!((&mut sleep).now_or_never().is_none());
        assert_eq!(clock.next_due(), Some(Duration::from_secs(5)));
        clock.advance(Duration::from_secs(4));
        assert!((&mut sleep).now_or_never().is_none());
        clock.advance(Duration::from_secs(1));
        assert!((&mut sleep).now_or_never().is_some());
        assert_eq!(clock.now(), Time::from_seconds(105));
    }

    #[test]
    fn a_dropped_sleep_is_forgotten() {
        let clock = ManualClock::new(Time::default());
        drop(clock.sleep(Duration::from_secs(1)));
        assert_eq!(clock.next_due(), None);
    }
}
