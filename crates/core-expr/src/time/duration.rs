//! Durations in nanoseconds.

use api_kinds::Duration;

/// Reads a duration such as `1h30m` or `-1.5s`.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    text.parse().ok().map(Duration::as_nanos)
}

/// The duration as text: `1h30m0s`, `1.5s`, `2µs`.
pub(crate) fn format_duration(nanoseconds: i64) -> String {
    Duration::from_nanos(nanoseconds).to_string()
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
    use crate::time::SECOND;

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
