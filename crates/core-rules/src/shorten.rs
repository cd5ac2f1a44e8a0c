//! Shortening of names that are too long for where they go.
//!
//! The end is replaced by a hash of the whole, so that different names stay different. Results are
//! stored in labels and names of existing objects: the rule must never change.

use crate::digest::sha256_hex;

const MAX_LABEL_VALUE_BYTES: usize = 63;
const MAX_RESOURCE_NAME_BYTES: usize = 253;
const DEFAULT_SEPARATOR: &str = "-";
const DEFAULT_HASH_LENGTH: usize = 8;

/// How to shorten.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The longest result, in bytes.
    pub max_bytes: usize,
    /// What stands between the kept beginning and the hash.
    pub separator: &'a str,
    /// How many hexadecimal digits of the hash are used.
    pub hash_length: usize,
}

impl Limits<'_> {
    /// The usual separator and hash length.
    pub const fn of(max_bytes: usize) -> Self {
        Self { max_bytes, separator: DEFAULT_SEPARATOR, hash_length: DEFAULT_HASH_LENGTH }
    }
}

/// A value fit for a label.
pub fn label_value(text: &str) -> String {
    shorten(text, &Limits::of(MAX_LABEL_VALUE_BYTES)).unwrap_or_else(|| text.to_owned())
}

/// A name fit for a resource.
pub fn resource_name(text: &str) -> String {
    shorten(text, &Limits::of(MAX_RESOURCE_NAME_BYTES)).unwrap_or_else(|| text.to_owned())
}

/// The text if it is short enough, else its beginning with a hash; `None` when there is not even
/// room for the hash.
pub fn shorten(text: &str, limits: &Limits<'_>) -> Option<String> {
    if text.len() <= limits.max_bytes {
        return Some(text.to_owned());
    }
    if limits.max_bytes < limits.hash_length {
        return None;
    }
    let hash: String = sha256_hex(text.as_bytes()).chars().take(limits.hash_length).collect();
    let kept_bytes = limits.max_bytes.saturating_sub(hash.len() + limits.separator.len());
    if kept_bytes == 0 {
        return Some(hash);
    }
    let kept = text.get(..text.floor_char_boundary(kept_bytes)).unwrap_or_default();
    let kept = kept.trim_end_matches(|last| limits.separator.contains(last));
    Some(format!("{kept}{}{hash}", limits.separator))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Limits, label_value, resource_name, shorten};

    #[test]
    fn what_fits_is_left_alone() {
        let name = "a".repeat(63);
        assert_eq!(label_value(&name), name);
        assert_eq!(resource_name(&"b".repeat(253)), "b".repeat(253));
    }

    #[test]
    fn the_end_is_replaced_by_a_hash_of_the_whole() {
        assert_eq!(label_value(&"a".repeat(70)), format!("{}-6bd5e503", "a".repeat(54)));
    }

    #[test]
    fn separators_are_not_doubled() {
        let limits = Limits { max_bytes: 11, separator: "-", hash_length: 4 };
        assert_eq!(shorten("hello-world-this-is-long", &limits).unwrap(), "hello-299a");
    }

    #[test]
    fn without_room_for_a_beginning_only_the_hash_remains() {
        let limits = |max_bytes| Limits { max_bytes, separator: "-", hash_length: 8 };
        assert_eq!(shorten("hello-world-this-is-long", &limits(9)).unwrap(), "299acb10");
        assert_eq!(shorten("hello-world-this-is-long", &limits(7)), None);
    }

    proptest! {
        #[test]
        fn the_result_fits_and_is_stable(text in any::<String>(), max in 8_usize..80) {
            let limits = Limits::of(max);
            let short = shorten(&text, &limits).expect("there is room for the hash");
            prop_assert!(short.len() <= max);
            prop_assert_eq!(shorten(&short, &limits), Some(short));
        }
    }
}
