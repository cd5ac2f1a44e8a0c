//! How often a password may be guessed.
//!
//! A few wrong ones are forgiven; after that each further one costs its address twice the wait of
//! the one before. Checking a password is made to be slow, so only a few are checked at once.

use std::{collections::HashMap, net::IpAddr, time::Duration};

use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Wrong passwords without a wait.
const FORGIVEN: u32 = 5;
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(5);
/// An address that was quiet for so long starts anew.
const MEMORY: Duration = Duration::from_mins(15);
const MAX_ADDRESSES: usize = 10_000;
/// Passwords that are checked at the same time.
const AT_ONCE: usize = 2;
/// Checks that wait for their turn.
const QUEUE: usize = 16;

/// Counts wrong passwords by address.
pub(crate) struct Throttle {
    failures: Mutex<HashMap<IpAddr, Failures>>,
    turns: Semaphore,
    places: Semaphore,
}

#[derive(Clone, Copy)]
struct Failures {
    count: u32,
    last: Duration,
}

impl Failures {
    /// When the next try is heard.
    fn open(self) -> Duration {
        let Some(beyond) = self.count.checked_sub(FORGIVEN) else { return Duration::ZERO };
        let wait = FIRST_WAIT.saturating_mul(1 << beyond.min(16)).min(LONGEST_WAIT);
        self.last + wait
    }
}

impl Throttle {
    pub(crate) fn new() -> Self {
        Self {
            failures: Mutex::default(),
            turns: Semaphore::new(AT_ONCE),
            places: Semaphore::new(AT_ONCE + QUEUE),
        }
    }

    /// How long this address must wait before it is heard, if it must.
    pub(crate) fn wait(&self, address: IpAddr, now: Duration) -> Option<Duration> {
        let failures = self.failures.lock().get(&address).copied()?;
        let wait = failures.open().saturating_sub(now);
        (!wait.is_zero()).then_some(wait)
    }

    /// The turn of a check; `None` when too many wait already.
    pub(crate) async fn turn(&self) -> Option<(SemaphorePermit<'_>, SemaphorePermit<'_>)> {
        let place = self.places.try_acquire().ok()?;
        let turn = self.turns.acquire().await.ok()?;
        Some((place, turn))
    }

    /// The password was wrong.
    pub(crate) fn failed(&self, address: IpAddr, now: Duration) {
        let mut failures = self.failures.lock();
        if failures.len() >= MAX_ADDRESSES {
            failures.retain(|_, known| now.saturating_sub(known.last) < MEMORY);
        }
        if failures.len() >= MAX_ADDRESSES {
            failures.clear();
        }
        let known = failures.entry(address).or_insert(Failures { count: 0, last: now });
        if now.saturating_sub(known.last) >= MEMORY {
            known.count = 0;
        }
        *known = Failures { count: known.count.saturating_add(1), last: now };
    }

    /// The password was right.
    pub(crate) fn succeeded(&self, address: IpAddr) {
        self.failures.lock().remove(&address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guessing_gets_slower_and_a_right_password_ends_that() {
        let (throttle, address) = (Throttle::new(), IpAddr::from([192, 0, 2, 1]));
        let at = Duration::from_secs;
        for _ in 0..4 {
            throttle.failed(address, at(0));
            assert_eq!(throttle.wait(address, at(0)), None);
        }
        throttle.failed(address, at(0));
        assert_eq!(throttle.wait(address, at(0)), Some(at(1)));
        throttle.failed(address, at(1));
        assert_eq!(throttle.wait(address, at(1)), Some(at(2)));
        assert_eq!(throttle.wait(IpAddr::from([192, 0, 2, 2]), at(1)), None);
        throttle.succeeded(address);
        assert_eq!(throttle.wait(address, at(1)), None);
    }

    #[test]
    fn an_old_mistake_is_forgotten() {
        let (throttle, address) = (Throttle::new(), IpAddr::from([192, 0, 2, 1]));
        (0..9).for_each(|_| throttle.failed(address, Duration::ZERO));
        throttle.failed(address, MEMORY);
        assert_eq!(throttle.wait(address, MEMORY), None);
    }
}
