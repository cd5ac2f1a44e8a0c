//! How long to wait before a push is tried again.

use std::time::Duration;

use core_clock::Entropy;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// Waits that grow by half each time, lengthened by chance so that competitors do not meet again.
#[derive(Clone, Debug)]
pub struct Backoff {
    left: u32,
    next: Duration,
}

impl Backoff {
    /// For this many attempts in all.
    pub fn new(max_attempts: u32) -> Self {
        Self { left: max_attempts.saturating_sub(1), next: FIRST }
    }

    /// How long to wait before the next attempt; `None` when the last one has been made.
    pub fn next(&mut self, entropy: &dyn Entropy) -> Option<Duration> {
        self.left = self.left.checked_sub(1)?;
        let wait = self.next;
        self.next = (wait * 3 / 2).min(LONGEST);
        let longer = u64::try_from(wait.as_millis() / 2).unwrap_or_default();
        Some(wait + Duration::from_millis(entropy.below(longer + 1)))
    }
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;

    use super::*;

    #[test]
    fn every_attempt_is_made_and_no_wait_is_longer_than_the_cap() {
        let entropy = SeededEntropy::new(7);
        for attempts in [1, 2, 10, 40] {
            let mut backoff = Backoff::new(attempts);
            let waits: Vec<Duration> = std::iter::from_fn(|| backoff.next(&entropy)).collect();
            assert_eq!(waits.len(), attempts as usize - 1);
            assert!(waits.iter().all(|wait| *wait >= FIRST && *wait <= LONGEST * 3 / 2));
        }
    }
}
