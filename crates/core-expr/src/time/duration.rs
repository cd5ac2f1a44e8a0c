//! Durations in nanoseconds.

use crate::time::SECOND;

const UNITS: [(&str, i64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3600 * SECOND),
];

/// Reads a duration such as `1h30m` or `-1.5s`.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    let (is_negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let (nanoseconds, after) = parse_part(rest)?;
        total += nanoseconds;
        if total > i128::from(i64::MAX) + i128::from(is_negative) {
            return None;
        }
        rest = after;
    }
    i64::try_from(if is_negative { -total } else { total }).ok()
}

/// One number with its unit, and what comes after it.
fn parse_part(text: &str) -> Option<(i128, &str)> {
    let end = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (whole, rest) = text.split_at_checked(end(text))?;
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at_checked(end(rest))?,
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let unit_end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at_checked(unit_end)?;
    let (_, size) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let nanoseconds = i128::from(whole) * i128::from(*size) + fraction_of(fraction, *size);
    Some((nanoseconds, rest))
}

fn fraction_of(digits: &str, size: i64) -> i128 {
    let digits = digits.get(..digits.len().min(18)).unwrap_or_default();
    let scale = 10i128.pow(u32::try_from(digits.len()).unwrap_or_default());
    digits.parse::<i128>().map_or(0, |number| number * i128::from(size) / scale)
}

/// The duration as text: `1h30m0s`, `1.5s`, `2µs`.
pub(crate) fn format_duration(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let size = nanoseconds.unsigned_abs();
    let second = SECOND.unsigned_abs();
    match size {
        0 => "0s".to_owned(),
        1..1_000 => format!("{sign}{size}ns"),
        1_000..1_000_000 => format!("{sign}{}µs", decimal(size, 3)),
        1_000_000..1_000_000_000 => format!("{sign}{}ms", decimal(size, 6)),
        _ => {
            let (minutes, rest) = (size / (60 * second), size % (60 * second));
            let seconds = decimal(rest, 9);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}s"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

/// A number with `digits` decimals, without zeros at its end.
fn decimal(number: u64, digits: u32) -> String {
    let scale = 10u64.pow(digits);
    let width = digits as usize;
    let fraction = format!("{:0width$}", number % scale);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{}{point}{fraction}", number / scale)
}

/// The duration without what exceeds a multiple of `unit`.
pub(crate) fn truncate_duration(nanoseconds: i64, unit: i64) -> i64 {
    if unit <= 0 { nanoseconds } else { nanoseconds - nanoseconds % unit }
}

/// The multiple of `unit` nearest to the duration, halves away from zero.
pub(crate) fn round_duration(nanoseconds: i64, unit: i64) -> i64 {
    if unit <= 0 {
        return nanoseconds;
    }
    let rest = nanoseconds % unit;
    let is_less_than_half = rest.unsigned_abs() < unit.unsigned_abs() - rest.unsigned_abs();
    let step = if nanoseconds < 0 { -unit } else { unit };
    let down = nanoseconds - rest;
    if is_less_than_half { down } else { down.saturating_add(step) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_survive_a_round_trip() {
        for text in ["1h30m0s", "1m30s", "1.5s", "-2ms", "3µs", "7ns", "0s", "100h0m0.000000001s"]
        {
            assert_eq!(format_duration(parse_duration(text).unwrap()), text);
        }
        assert_eq!(parse_duration("1.5h"), Some(5400 * SECOND));
        assert_eq!(parse_duration(".5s"), Some(SECOND / 2));
        assert_eq!(parse_duration("0"), Some(0));
        assert_eq!(format_duration(i64::MIN), "-2562047h47m16.854775808s");
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "-", "1", "1d", "bad", ".s", "1h 2m", "99999999999h", "1.2.3s"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn rounding_goes_to_the_nearest() {
        assert_eq!(round_duration(15, 10), 20);
        assert_eq!(round_duration(-14, 10), -10);
        assert_eq!(truncate_duration(-19, 10), -10);
        assert_eq!(round_duration(7, 0), 7);
    }
}
