//! The order of keys: letters after other characters, runs of digits by size.

use std::cmp::Ordering;

use crate::go::{is_digit, is_letter};
use crate::value::{Data, Value};

/// Orders two keys.
///
/// Runs of digits are compared by size, so this is the order that people expect. Upstream's rule
/// is not transitive in corner cases; ties are broken by the text, so that ours is a total order.
pub(super) fn compare(left: &str, right: &str) -> Ordering {
    let (mut ours, mut theirs) = (left.chars().peekable(), right.chars().peekable());
    let mut after_digit = false;
    loop {
        match (ours.peek().copied(), theirs.peek().copied()) {
            (None, None) => return left.cmp(right),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) if is_digit(a) && is_digit(b) => {
                let order = take_number(&mut ours).cmp(&take_number(&mut theirs));
                if order.is_ne() {
                    return order;
                }
                after_digit = true;
            }
            (Some(a), Some(b)) if a == b => {
                after_digit = false;
                ours.next();
                theirs.next();
            }
            (Some(a), Some(b)) => return compare_characters(a, b, after_digit),
        }
    }
}

fn compare_characters(left: char, right: char, after_digit: bool) -> Ordering {
    match (is_letter(left), is_letter(right)) {
        (true, false) if after_digit => Ordering::Less,
        (true, false) => Ordering::Greater,
        (false, true) if after_digit => Ordering::Greater,
        (false, true) => Ordering::Less,
        _ => is_digit(left).cmp(&is_digit(right)).then(left.cmp(&right)),
    }
}

/// A run of digits as a number: its length without leading zeros, then its digits.
fn take_number(
    characters: &mut std::iter::Peekable<std::str::Chars<'_>>,
) -> (usize, String, usize) {
    let mut digits = String::new();
    let mut length = 0;
    while let Some(digit) = characters.next_if(|character| is_digit(*character)) {
        length += 1;
        if !(digits.is_empty() && digit == '0') {
            digits.push(digit);
        }
    }
    (digits.chars().count(), digits, length)
}

/// The size of a key that is a number or a truth value.
#[expect(clippy::cast_precision_loss, reason = "only for the order of keys")]
pub(super) fn size(key: &Value) -> f64 {
    match key.data {
        Data::Int(number) | Data::Duration(number) => number as f64,
        Data::Uint(number) => number as f64,
        Data::Float(number) => number,
        Data::Bool(truth) => f64::from(u8::from(truth)),
        _ => f64::NEG_INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_count_as_numbers() {
        let mut keys = ["a10", "a9", "b", "a", "A", "1", "a_b", "aB", "a09"];
        keys.sort_by(|left, right| compare(left, right));
        assert_eq!(keys, ["1", "A", "a", "a_b", "a9", "a09", "a10", "aB", "b"]);
    }
}
