//! Order of pre-release parts.

use std::cmp::Ordering;

/// Compares two pre-release parts identifier by identifier; a missing identifier is lower.
pub(crate) fn compare_prereleases(left: &str, right: &str) -> Ordering {
    let mut left = left.split('.');
    let mut right = right.split('.');
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(left), Some(right)) => compare_identifiers(left, right),
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Numbers are lower than words. A number that does not fit 64 bits counts as a word, as upstream
/// has it.
fn compare_identifiers(left: &str, right: &str) -> Ordering {
    match (left.parse::<u64>(), right.parse::<u64>()) {
        (Ok(left), Ok(right)) => left.cmp(&right),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => left.cmp(right),
    }
}
