//! Aliases: names for people, such as `quiet-otter`.
//!
//! An alias follows from the name of the Freight, so that a retried creation chooses the same one
//! and no randomness is needed. When others already have it, further words are tried, then numbers;
//! the search always ends.

use crate::digest::sha256_hex;

/// How many pairs of words are tried before numbers are appended.
const PLAIN_ATTEMPTS: u64 = 16;

const ADJECTIVES: [&str; 64] = [
    "able", "agile", "amber", "ample", "bold", "brave", "breezy", "bright", "brisk", "calm",
    "candid", "clever", "coral", "cosmic", "cozy", "crisp", "daring", "dapper", "deft", "eager",
    "early", "fair", "fancy", "fluent", "fond", "frank", "fresh", "gentle", "glad", "golden",
    "grand", "happy", "hardy", "honest", "humble", "ideal", "jolly", "keen", "kind", "lively",
    "loyal", "lucid", "lucky", "mellow", "merry", "mighty", "modest", "neat", "nimble", "noble",
    "patient", "plucky", "polite", "proud", "quick", "quiet", "rapid", "serene", "smart", "steady",
    "sunny", "tidy", "vivid", "witty",
];

const ANIMALS: [&str; 64] = [
    "badger", "beaver", "bison", "bobcat", "camel", "caribou", "cheetah", "condor", "cougar",
    "coyote", "crane", "cricket", "dingo", "dolphin", "donkey", "eagle", "egret", "falcon",
    "ferret", "finch", "gazelle", "gecko", "gibbon", "goose", "hamster", "heron", "hornet", "ibex",
    "iguana", "impala", "jackal", "jaguar", "koala", "lemur", "leopard", "lizard", "llama", "lynx",
    "magpie", "marmot", "marten", "meerkat", "moose", "narwhal", "newt", "ocelot", "osprey",
    "otter", "panther", "parrot", "pelican", "penguin", "puffin", "quail", "rabbit", "raven",
    "salmon", "seal", "sparrow", "tapir", "toucan", "turtle", "walrus", "wombat",
];

/// The alias for Freight called `freight_name`; `is_taken` says whether other Freight has one.
pub fn choose_alias(freight_name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut attempt = 0;
    loop {
        let alias = candidate(freight_name, attempt);
        if !is_taken(&alias) {
            return alias;
        }
        attempt += 1;
    }
}

fn candidate(freight_name: &str, attempt: u64) -> String {
    let words = words(freight_name, attempt.min(PLAIN_ATTEMPTS));
    match attempt.checked_sub(PLAIN_ATTEMPTS) {
        None => words,
        Some(number) => format!("{words}-{}", number + 2),
    }
}

fn words(freight_name: &str, attempt: u64) -> String {
    let digest = sha256_hex(format!("{freight_name}/{attempt}").as_bytes());
    let draw = |part: Option<&str>, words: &[&'static str]| {
        let number = part.and_then(|hex| usize::from_str_radix(hex, 16).ok()).unwrap_or_default();
        words.get(number.checked_rem(words.len()).unwrap_or_default()).copied().unwrap_or_default()
    };
    let adjective = draw(digest.get(..8), &ADJECTIVES);
    let animal = draw(digest.get(8..16), &ANIMALS);
    format!("{adjective}-{animal}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ADJECTIVES, ANIMALS, choose_alias};

    #[test]
    fn the_same_freight_gets_the_same_alias() {
        assert_eq!(choose_alias("abc", |_| false), choose_alias("abc", |_| false));
    }

    #[test]
    fn aliases_stay_unique_however_many_there_are() {
        let mut taken = BTreeSet::new();
        for _ in 0..100 {
            let alias = choose_alias("abc", |alias| taken.contains(alias));
            assert!(taken.insert(alias));
        }
        assert!(taken.iter().any(|alias| alias.ends_with("-2")));
    }

    #[test]
    fn words_are_distinct_and_make_valid_label_values() {
        for words in [ADJECTIVES, ANIMALS] {
            assert_eq!(BTreeSet::from(words).len(), words.len());
            assert!(words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
        }
    }
}
