//! The clock of one component: the time of the simulation, seen through a wall clock that may be wrong.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use core_clock::{Clock, ManualClock, Sleep, Time};

/// A clock whose wall time can jump, as the clocks of machines do. Durations are those of everybody.
#[derive(Clone)]
pub(crate) struct SkewedClock {
    shared: ManualClock,
    skew_micros: Arc<AtomicI64>,
}

impl SkewedClock {
    pub(crate) fn new(shared: ManualClock) -> Self {
        Self { shared, skew_micros: Arc::default() }
    }

    /// Sets how far the wall time is ahead (or behind, when negative).
    pub(crate) fn set_skew_micros(&self, skew: i64) {
        self.skew_micros.store(skew, Ordering::Relaxed);
    }
}

impl Clock for SkewedClock {
    fn now(&self) -> Time {
        let skew = self.skew_micros.load(Ordering::Relaxed);
        Time::from_micros(self.shared.now().as_micros().saturating_add(skew))
    }

    fn monotonic(&self) -> Duration {
        self.shared.monotonic()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        self.shared.sleep(duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_moves_the_wall_clock_and_nothing_else() {
        let shared = ManualClock::new(Time::from_seconds(100));
        let clock = SkewedClock::new(shared.clone());
        clock.set_skew_micros(-5_000_000);
        shared.advance(Duration::from_secs(1));
        assert_eq!(clock.now(), Time::from_seconds(96));
        assert_eq!(clock.monotonic(), Duration::from_secs(1));
    }
}
