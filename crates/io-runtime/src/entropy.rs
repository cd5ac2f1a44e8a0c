//! The machine's entropy.

use core_clock::Entropy;

/// Random bytes from the operating system; fit for keys and tokens.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(
        clippy::expect_used,
        reason = "a system without entropy must not go on and hand out guessable keys"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}
