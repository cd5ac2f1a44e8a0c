//! How long to wait before trying again.

use std::time::Duration;

use core_clock::Entropy;

/// Doubling waits with a bound, spread so that many who failed together do not come back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The longest first wait.
    pub base: Duration,
    /// The longest wait of all.
    pub max: Duration,
}

impl Backoff {
    /// The wait after `failures` failures in a row: between half and all of `base × 2^(failures-1)`, at most `max`.
    pub fn delay(&self, failures: u32, entropy: &dyn Entropy) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        let whole = self.base.saturating_mul(1 << doublings).min(self.max);
        let half = whole / 2;
        let spread = u64::try_from(half.as_micros()).unwrap_or(u64::MAX).saturating_add(1);
        half + Duration::from_micros(entropy.below(spread))
    }
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;

    use super::*;

    #[test]
    fn waits_double_up_to_the_bound_and_are_spread_over_their_upper_half() {
        let backoff = Backoff { base: Duration::from_millis(100), max: Duration::from_secs(1) };
        let entropy = SeededEntropy::new(3);
        for (failures, most) in [(0, 100), (1, 100), (2, 200), (3, 400), (5, 1_000), (900, 1_000)] {
            let most = Duration::from_millis(most);
            let delays: Vec<_> = (0..50).map(|_| backoff.delay(failures, &entropy)).collect();
            assert!(delays.iter().all(|delay| *delay >= most / 2 && *delay <= most), "{delays:?}");
            assert!(delays.iter().any(|delay| delay != &delays[0]), "no spread");
        }
    }
}
