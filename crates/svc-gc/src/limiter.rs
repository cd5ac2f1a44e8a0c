//! A bound on how fast things happen.

use std::{num::NonZeroUsize, sync::Arc, time::Duration};

use core_clock::Clock;
use parking_lot::Mutex;

/// Gives turns at even distances.
pub(crate) struct Limiter {
    clock: Arc<dyn Clock>,
    distance: Duration,
    /// The earliest time of the next turn, by the monotonic clock.
    next: Mutex<Duration>,
}

impl Limiter {
    pub(crate) fn new(clock: Arc<dyn Clock>, per_second: NonZeroUsize) -> Self {
        let per_second = u32::try_from(per_second.get()).unwrap_or(u32::MAX);
        let distance = Duration::from_secs(1).checked_div(per_second).unwrap_or_default();
        Self { clock, distance, next: Mutex::default() }
    }

    /// Completes when it is the caller's turn.
    pub(crate) async fn turn(&self) {
        let now = self.clock.monotonic();
        let wait = {
            let mut next = self.next.lock();
            let turn = now.max(*next);
            *next = turn + self.distance;
            turn.saturating_sub(now)
        };
        if !wait.is_zero() {
            self.clock.sleep(wait).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use core_clock::{ManualClock, Time};
    use futures::FutureExt;

    use super::*;

    #[test]
    fn turns_have_their_distance_and_unused_ones_are_lost() {
        let clock = ManualClock::new(Time::default());
        let four = NonZeroUsize::new(4).unwrap();
        let limiter = Limiter::new(Arc::new(clock.clone()), four);
        clock.advance(Duration::from_secs(9));
        assert!(limiter.turn().now_or_never().is_some());
        let mut second = Box::pin(limiter.turn());
        assert!((&mut second).now_or_never().is_none());
        clock.advance(Duration::from_millis(249));
        assert!((&mut second).now_or_never().is_none());
        clock.advance(Duration::from_millis(1));
        assert!((&mut second).now_or_never().is_some());
    }
}
