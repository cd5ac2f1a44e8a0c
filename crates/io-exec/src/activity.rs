//! When a child last showed signs of life.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use core_clock::Clock;

/// Shared by everything that sees the child do something.
#[derive(Clone)]
pub(crate) struct Activity {
    clock: Arc<dyn Clock>,
    last_micros: Arc<AtomicU64>,
}

impl Activity {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let activity = Self { clock, last_micros: Arc::default() };
        activity.touch();
        activity
    }

    /// Notes that the child made progress just now.
    pub(crate) fn touch(&self) {
        let now = u64::try_from(self.clock.monotonic().as_micros()).unwrap_or(u64::MAX);
        self.last_micros.store(now, Ordering::Relaxed);
    }

    /// Completes once nothing happened for `limit`.
    pub(crate) async fn stalled(&self, limit: Duration) {
        loop {
            let last = Duration::from_micros(self.last_micros.load(Ordering::Relaxed));
            let quiet = self.clock.monotonic().saturating_sub(last);
            if quiet >= limit {
                return;
            }
            self.clock.sleep(limit.saturating_sub(quiet)).await;
        }
    }
}
