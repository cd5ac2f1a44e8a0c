//! Seeded choices: the same seed makes the same history.

use core_clock::{Entropy, SeededEntropy};

/// A stream of choices.
pub(crate) struct Dice(SeededEntropy);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        // A step of the generator adds to its state, so states that come from seeds by arithmetic give one stream, shifted.
        Self(SeededEntropy::new(SeededEntropy::new(seed).next_u64()))
    }

    /// A number in `0..bound`.
    pub(crate) fn below(&self, bound: usize) -> usize {
        usize::try_from(self.0.below(bound as u64)).unwrap_or_default()
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of the choices; the first when there are none to choose from.
    pub(crate) fn pick<T: Clone>(&self, choices: &[T]) -> Option<T> {
        choices.get(self.below(choices.len().max(1))).cloned()
    }

    /// One of the choices, each as often as its weight says.
    pub(crate) fn weighted<T: Copy>(&self, choices: &[(usize, T)]) -> Option<T> {
        let mut rest = self.below(choices.iter().map(|(weight, _)| weight).sum::<usize>().max(1));
        for (weight, choice) in choices {
            if rest < *weight {
                return Some(*choice);
            }
            rest -= weight;
        }
        None
    }
}
