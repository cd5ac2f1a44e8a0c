//! The moment of a kill: at random, or right where one step of a Promotion ends and the next begins.

use std::time::Duration;

use core_clock::Entropy;

/// How long a process lives when it is killed at a random moment: a Promotion takes about as long.
const LIFE_MS: u64 = 1_000;
/// How long after the beginning of a step it is killed at most: the step has done little by then, or all it does.
const STEP_MS: u64 = 150;

/// When to kill.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moment {
    /// After this long.
    After(Duration),
    /// A while after this step became the current one, or the Promotion ended.
    Step { number: u64, delay: Duration },
}

impl Moment {
    /// The next moment of a Promotion that has come to step `current`.
    pub(crate) fn choose(current: u64, entropy: &dyn Entropy) -> Self {
        if entropy.below(2) == 0 {
            return Self::After(Duration::from_millis(entropy.below(LIFE_MS)));
        }
        let number = current + 1 + entropy.below(3);
        Self::Step { number, delay: Duration::from_millis(entropy.below(STEP_MS)) }
    }
}
