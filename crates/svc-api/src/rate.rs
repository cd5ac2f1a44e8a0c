//! How often somebody may ask.
//!
//! Where the settings ask for it, everybody has a bucket of requests that fills again at a steady rate: callers by who
//! they are, and addresses for the tokens of theirs that are refused. Without that nobody is held back: behind a proxy
//! all people have one address.

use std::{collections::HashMap, hash::Hash, net::IpAddr, time::Duration};

use parking_lot::Mutex;

use crate::api_error::{ApiError, ApiResult};

/// Buckets that are remembered. When there are more, the full ones are forgotten.
const MAX_BUCKETS: usize = 10_000;

/// So many requests in a second, and so many at once after a pause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// How fast the bucket fills.
    pub per_second: f64,
    /// How much it holds.
    pub burst: f64,
}

/// The buckets of a server; none where everybody may ask as often as they like.
pub(crate) struct RateLimits {
    callers: Option<Buckets<String>>,
    refused: Option<Buckets<IpAddr>>,
}

impl RateLimits {
    pub(crate) fn new(rate: Option<Rate>) -> Self {
        Self { callers: rate.map(Buckets::new), refused: rate.map(Buckets::new) }
    }

    /// Refuses a caller who asks too often.
    pub(crate) fn check_caller(&self, name: &str, now: Duration) -> ApiResult<()> {
        let Some(callers) = &self.callers else { return Ok(()) };
        callers.take(name.to_owned(), now).map_err(ApiError::too_many)
    }

    /// Refuses an address whose tokens were refused too often.
    pub(crate) fn check_address(&self, address: IpAddr, now: Duration) -> ApiResult<()> {
        let Some(refused) = &self.refused else { return Ok(()) };
        refused.look(&address, now).map_err(ApiError::too_many)
    }

    /// A token of this address was refused.
    pub(crate) fn refused(&self, address: IpAddr, now: Duration) {
        if let Some(refused) = &self.refused {
            // That it is empty is told to the next one.
            let _ = refused.take(address, now);
        }
    }
}

struct Buckets<K> {
    rate: Rate,
    buckets: Mutex<HashMap<K, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    at: Duration,
}

impl<K: Eq + Hash> Buckets<K> {
    fn new(rate: Rate) -> Self {
        Self { rate, buckets: Mutex::default() }
    }

    /// Takes one out, or says how long until there is one.
    fn take(&self, key: K, now: Duration) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock();
        if buckets.len() >= MAX_BUCKETS {
            buckets.retain(|_, bucket| self.left(*bucket, now) < self.rate.burst);
        }
        if buckets.len() >= MAX_BUCKETS {
            buckets.clear();
        }
        let full = Bucket { left: self.rate.burst, at: now };
        let bucket = buckets.entry(key).or_insert(full);
        let left = self.left(*bucket, now);
        if left < 1.0 {
            return Err(self.wait(left));
        }
        *bucket = Bucket { left: left - 1.0, at: now };
        Ok(())
    }

    /// Whether there is one, without taking it.
    fn look(&self, key: &K, now: Duration) -> Result<(), Duration> {
        let bucket = self.buckets.lock().get(key).copied();
        match bucket.map(|bucket| self.left(bucket, now)) {
            Some(left) if left < 1.0 => Err(self.wait(left)),
            _ => Ok(()),
        }
    }

    fn left(&self, bucket: Bucket, now: Duration) -> f64 {
        let past = now.saturating_sub(bucket.at).as_secs_f64();
        (past * self.rate.per_second + bucket.left).min(self.rate.burst)
    }

    fn wait(&self, left: f64) -> Duration {
        Duration::try_from_secs_f64((1.0 - left) / self.rate.per_second).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { per_second: 2.0, burst: 3.0 };

    #[test]
    fn a_bucket_is_emptied_and_fills_again() {
        let buckets = Buckets::new(RATE);
        let at = Duration::from_millis;
        for _ in 0..3 {
            assert_eq!(buckets.take("a", at(0)), Ok(()));
        }
        assert_eq!(buckets.take("a", at(0)), Err(at(500)));
        assert_eq!(buckets.take("b", at(0)), Ok(()), "others have their own");
        assert_eq!(buckets.look(&"a", at(250)), Err(at(250)));
        assert_eq!(buckets.take("a", at(500)), Ok(()));
        assert_eq!(buckets.take("a", at(500)), Err(at(500)));
        // A pause fills it, but not above the brim.
        for _ in 0..3 {
            assert_eq!(buckets.take("a", at(60_000)), Ok(()));
        }
        assert!(buckets.take("a", at(60_000)).is_err());
    }

    #[test]
    fn buckets_do_not_pile_up() {
        let buckets = Buckets::new(RATE);
        for key in 0..3 * MAX_BUCKETS {
            assert!(buckets.take(key, Duration::from_secs(key as u64)).is_ok());
        }
        assert!(buckets.buckets.lock().len() <= MAX_BUCKETS);
    }

    #[test]
    fn everybody_is_free_unless_a_rate_is_set() {
        let free = RateLimits::new(None);
        let held = RateLimits::new(Some(Rate { per_second: 1.0, burst: 1.0 }));
        let (now, address) = (Duration::ZERO, IpAddr::from([192, 0, 2, 1]));
        for _ in 0..10 {
            free.refused(address, now);
            assert!(
                free.check_caller("admin", now).is_ok() && free.check_address(address, now).is_ok()
            );
        }
        assert!(held.check_caller("admin", now).is_ok());
        assert!(held.check_caller("admin", now).is_err());
        assert!(held.check_address(address, now).is_ok());
        held.refused(address, now);
        assert!(held.check_address(address, now).is_err());
    }
}
