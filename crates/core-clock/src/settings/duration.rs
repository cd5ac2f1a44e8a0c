//! Go's durations, as far as settings use them: `( "0" | (digits ["." digits] unit)+ )`, never negative.

use std::time::Duration;

/// Reads `1h30m`, `1.5s`, `0`; nothing that exceeds what Go can hold.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (nanos, tail) = parse_term(rest)?;
        total = total.checked_add(nanos).filter(|sum| i64::try_from(*sum).is_ok())?;
        rest = tail;
    }
    Some(Duration::from_nanos(total))
}

/// One number with its unit, in nanoseconds, and what follows.
fn parse_term(term: &str) -> Option<(u64, &str)> {
    let (whole, rest) = split_digits(term);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = rest.find(|next: char| next == '.' || next.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at_checked(end)?;
    let unit = unit_nanos(unit)?;
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let nanos = whole.checked_mul(unit)?.checked_add(fraction_nanos(fraction, unit))?;
    Some((nanos, rest))
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|next: char| !next.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The part of `unit` that the decimals stand for; those below a nanosecond are dropped.
fn fraction_nanos(digits: &str, unit: u64) -> u64 {
    let mut part = unit;
    let mut nanos = 0;
    for digit in digits.bytes().take_while(u8::is_ascii_digit) {
        if part < 10 {
            break;
        }
        part /= 10;
        nanos += part * u64::from(digit - b'0');
    }
    nanos
}

fn unit_nanos(name: &str) -> Option<u64> {
    Some(match name {
        "ns" => 1,
        // Both the micro sign and the Greek letter are in use.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}
