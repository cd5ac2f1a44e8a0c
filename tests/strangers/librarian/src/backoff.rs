//! When watches that have failed begin again.

use std::time::Duration;

use kube::runtime::utils::Backoff;

/// Once a second. The usual way is to wait twice as long after each failure, up to half a minute, and the watches of a
/// controller wait together whichever of them fails: a server that takes a while to start, and then has forgotten what came
/// before, is met again after minutes.
pub(crate) struct Steady;

impl Iterator for Steady {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }
}

impl Backoff for Steady {
    fn reset(&mut self) {}
}
