//! What a process that was killed leaves behind for a moment.
//!
//! A program that it was just starting has its ports and its locks until it runs on its own, so whoever comes right
//! after a kill may find them taken.

use std::time::Duration;

use core_clock::Clock;

use crate::exit::{Exit, Failure};

/// How long something may stay taken before somebody else is believed to use it.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);

/// Takes something, a moment later if it is taken now.
pub(super) async fn once_released<T>(
    clock: &dyn Clock,
    take: impl AsyncFn() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let deadline = clock.monotonic() + PATIENCE;
    loop {
        match take().await {
            Err(failure) if is_taken(&failure) && clock.monotonic() < deadline => {
                clock.sleep(PAUSE).await;
            }
            taken => return taken,
        }
    }
}

fn is_taken(failure: &Failure) -> bool {
    matches!(failure.exit(), Exit::PortTaken | Exit::DataDirectoryLocked)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use core_clock::{ManualClock, Time};

    use super::*;

    /// Takes what is free after `taken` failures; returns how often that was tried, and how it ended.
    async fn tried(taken: usize, exit: Exit) -> (usize, Result<(), Failure>) {
        let (clock, tries) = (ManualClock::new(Time::default()), Cell::new(0));
        let take = async || {
            tries.set(tries.get() + 1);
            if tries.get() > taken { Ok(()) } else { Err(Failure::new(exit, "no")) }
        };
        let time_passes = async {
            loop {
                clock.advance(PAUSE);
                tokio::task::yield_now().await;
            }
        };
        let result = tokio::select! {
            result = once_released(&clock, take) => result,
            () = time_passes => panic!("time never ends"),
        };
        (tries.get(), result)
    }

    #[tokio::test]
    async fn what_is_released_in_a_moment_is_taken() {
        for exit in [Exit::PortTaken, Exit::DataDirectoryLocked] {
            let (tries, result) = tried(3, exit).await;
            assert_eq!((tries, result.is_ok()), (4, true));
        }
    }

    #[tokio::test]
    async fn what_somebody_uses_is_told() {
        let (tries, result) = tried(usize::MAX, Exit::PortTaken).await;
        assert!((10..=60).contains(&tries), "{tries}");
        assert_eq!(result.unwrap_err().exit(), Exit::PortTaken);
    }

    #[tokio::test]
    async fn nothing_else_is_tried_again() {
        let (tries, result) = tried(1, Exit::Damaged).await;
        assert_eq!((tries, result.is_err()), (1, true));
    }
}
