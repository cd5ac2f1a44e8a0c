//! The entropy port, and a seeded generator for tests and simulation.

use parking_lot::Mutex;

/// Where randomness comes from. Passed as `Arc<dyn Entropy>`.
pub trait Entropy: Send + Sync {
    /// Fills `bytes` with random data.
    fn fill(&self, bytes: &mut [u8]);

    /// A random number.
    fn next_u64(&self) -> u64 {
        let mut bytes = [0; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// A random number in `0..bound`; 0 when `bound` is 0.
    fn below(&self, bound: u64) -> u64 {
        // The bias is below 2⁻³² for every bound we use, and nothing secret is drawn through here.
        self.next_u64().checked_rem(bound).unwrap_or(0)
    }

    /// A random (version 4) UUID in its canonical text form.
    fn uuid(&self) -> String {
        let mut bytes = [0u8; 16];
        self.fill(&mut bytes);
        let number = u128::from_be_bytes(bytes);
        let number = (number & !(0xf << 76)) | (0x4 << 76);
        let number = (number & !(0x3 << 62)) | (0x2 << 62);
        let hex = format!("{number:032x}");
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
    }
}

/// Reproducible numbers from a seed (SplitMix64). Never for secrets.
pub struct SeededEntropy {
    state: Mutex<u64>,
}

impl SeededEntropy {
    /// A generator whose whole output is decided by `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: Mutex::new(seed) }
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        let mut state = self.state.lock();
        for chunk in bytes.chunks_mut(8) {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = *state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            for (byte, random) in chunk.iter_mut().zip(mixed.to_le_bytes()) {
                *byte = random;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let (a, b) = (SeededEntropy::new(7), SeededEntropy::new(7));
        assert_eq!(a.next_u64(), b.next_u64());
        assert_ne!(a.next_u64(), SeededEntropy::new(8).next_u64());
    }

    #[test]
    fn uuids_are_version_4() {
        let uuid = SeededEntropy::new(1).uuid();
        let dashes: Vec<usize> = uuid.match_indices('-').map(|(at, _)| at).collect();
        assert_eq!(dashes, [8, 13, 18, 23]);
        assert_eq!(&uuid[14..15], "4");
        assert!(matches!(&uuid[19..20], "8" | "9" | "a" | "b"), "{uuid}");
    }
}
