//! A clock whose sleeps end at once and move it on.

use std::{sync::Arc, time::Duration};

use core_clock::{Clock, ManualClock, Sleep, Time};

/// A clock for tests in which waiting takes no time.
#[derive(Clone)]
pub struct SwiftClock(Arc<ManualClock>);

impl SwiftClock {
    /// A clock that shows `start`.
    pub fn new(start: Time) -> Self {
        Self(Arc::new(ManualClock::new(start)))
    }
}

impl Clock for SwiftClock {
    fn now(&self) -> Time {
        self.0.now()
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        let clock = self.0.clone();
        Box::pin(async move { clock.advance(duration) })
    }
}
