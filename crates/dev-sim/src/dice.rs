//! Seeded choices. Every purpose draws from a stream of its own, so that one more draw here does not change what happens
//! there: a seed keeps its meaning while scenarios grow.

use std::{sync::Arc, time::Duration};

use core_clock::{Entropy, SeededEntropy};

/// A stream of choices that a seed and a purpose decide. Clones draw from the same stream.
#[derive(Clone)]
pub struct Dice(Arc<SeededEntropy>);

impl Dice {
    /// The stream of `purpose` in the run of `seed`.
    pub fn new(seed: u64, purpose: &str) -> Self {
        // FNV-1a over the purpose; the generator itself mixes the outcome well.
        let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = purpose
            .bytes()
            .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Self(Arc::new(SeededEntropy::new(mixed)))
    }

    /// A number in `0..bound`; 0 when `bound` is 0.
    pub fn below(&self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    /// An index into something of this length; 0 when it is empty.
    pub fn index(&self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or_default()
    }

    /// True in `per_mille` of a thousand cases.
    pub fn chance(&self, per_mille: u32) -> bool {
        self.below(1000) < u64::from(per_mille)
    }

    /// A duration from zero up to, not including, `limit`.
    pub fn duration(&self, limit: Duration) -> Duration {
        Duration::from_micros(self.below(u64::try_from(limit.as_micros()).unwrap_or(u64::MAX)))
    }

    /// One of `choices`; `None` when there are none.
    pub fn pick<'a, T>(&self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.index(choices.len()))
    }

    /// The stream as the port that components know.
    pub fn entropy(&self) -> Arc<dyn Entropy> {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_decided_by_seed_and_purpose() {
        let draw = |seed, purpose| Dice::new(seed, purpose).below(u64::MAX);
        assert_eq!(draw(1, "faults"), draw(1, "faults"));
        assert_ne!(draw(1, "faults"), draw(2, "faults"));
        assert_ne!(draw(1, "faults"), draw(1, "schedule"));
    }

    #[test]
    fn chances_are_about_what_they_say() {
        let dice = Dice::new(3, "chance");
        let hits = (0..10_000).filter(|_| dice.chance(100)).count();
        assert!((800..1200).contains(&hits), "{hits}");
        assert!(!dice.chance(0));
        assert!(dice.chance(1000));
    }

    #[test]
    fn nothing_is_picked_from_nothing() {
        assert_eq!(Dice::new(1, "x").pick::<u8>(&[]), None);
    }
}
