//! How long ago something was, in one or two units: what people read at a glance.

use core_clock::Time;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// The age at `now` of something that happened at `then`.
pub fn age(then: Time, now: Time) -> String {
    let seconds = now.as_micros().saturating_sub(then.as_micros()) / 1_000_000;
    human(seconds)
}

/// The age of an RFC 3339 text: `<unknown>` when empty, `<invalid>` when it is no time.
pub fn age_of(text: &str, now: Time) -> String {
    if text.is_empty() {
        return "<unknown>".to_owned();
    }
    text.parse().map_or_else(|_| "<invalid>".to_owned(), |then| age(then, now))
}

fn human(seconds: i64) -> String {
    match seconds {
        // Clocks differ a little; more than that is a mistake worth seeing.
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        _ if seconds < 2 * MINUTE => format!("{seconds}s"),
        _ if seconds < 10 * MINUTE => two(seconds, (MINUTE, 'm'), (1, 's')),
        _ if seconds < 3 * HOUR => one(seconds, MINUTE, 'm'),
        _ if seconds < 8 * HOUR => two(seconds, (HOUR, 'h'), (MINUTE, 'm')),
        _ if seconds < 2 * DAY => one(seconds, HOUR, 'h'),
        _ if seconds < 8 * DAY => two(seconds, (DAY, 'd'), (HOUR, 'h')),
        _ if seconds < 2 * YEAR => one(seconds, DAY, 'd'),
        _ if seconds < 8 * YEAR => two(seconds, (YEAR, 'y'), (DAY, 'd')),
        _ => one(seconds, YEAR, 'y'),
    }
}

fn one(seconds: i64, length: i64, unit: char) -> String {
    format!("{}{unit}", seconds / length)
}

/// Two units; the smaller one is left out when it is zero.
fn two(
    seconds: i64,
    (length, unit): (i64, char),
    (small_length, small_unit): (i64, char),
) -> String {
    let (large, small) = (seconds / length, seconds % length / small_length);
    if small == 0 { format!("{large}{unit}") } else { format!("{large}{unit}{small}{small_unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_change_at_their_boundaries() {
        let cases = [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (2 * MINUTE - 1, "119s"),
            (2 * MINUTE, "2m"),
            (2 * MINUTE + 1, "2m1s"),
            (10 * MINUTE - 1, "9m59s"),
            (10 * MINUTE, "10m"),
            (3 * HOUR - 1, "179m"),
            (3 * HOUR, "3h"),
            (8 * HOUR - 1, "7h59m"),
            (8 * HOUR, "8h"),
            (2 * DAY - 1, "47h"),
            (2 * DAY, "2d"),
            (8 * DAY - 1, "7d23h"),
            (8 * DAY, "8d"),
            (2 * YEAR - 1, "729d"),
            (2 * YEAR, "2y"),
            (6 * YEAR + 320 * DAY, "6y320d"),
            (8 * YEAR - 1, "7y364d"),
            (8 * YEAR, "8y"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(human(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn a_missing_time_is_unknown_and_a_broken_one_invalid() {
        let now = Time::from_seconds(100);
        assert_eq!(age_of("", now), "<unknown>");
        assert_eq!(age_of("zzz", now), "<invalid>");
        assert_eq!(age_of("1970-01-01T00:00:40Z", now), "60s");
        assert_eq!(age(Time::from_micros(99_400_000), now), "0s");
    }
}
