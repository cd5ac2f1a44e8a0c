//! How long ago something was, as `kubectl` says it.

use core_clock::Time;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// The age at a time; `<unknown>` for what has no time.
pub(crate) fn age(since: Option<Time>, now: Time) -> String {
    match since {
        Some(since) => humanised(now.as_seconds().saturating_sub(since.as_seconds())),
        None => "<unknown>".to_owned(),
    }
}

/// The larger the duration, the coarser.
fn humanised(seconds: i64) -> String {
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1..0 => "0s".to_owned(),
        _ if seconds < 2 * MINUTE => format!("{seconds}s"),
        _ if seconds < 10 * MINUTE => two(seconds, (MINUTE, "m"), (1, "s")),
        _ if seconds < 3 * HOUR => format!("{}m", seconds / MINUTE),
        _ if seconds < 8 * HOUR => two(seconds, (HOUR, "h"), (MINUTE, "m")),
        _ if seconds < 2 * DAY => format!("{}h", seconds / HOUR),
        _ if seconds < 8 * DAY => two(seconds, (DAY, "d"), (HOUR, "h")),
        _ if seconds < 2 * YEAR => format!("{}d", seconds / DAY),
        _ if seconds < 8 * YEAR => two(seconds, (YEAR, "y"), (DAY, "d")),
        _ => format!("{}y", seconds / YEAR),
    }
}

fn two(seconds: i64, (large, large_unit): (i64, &str), (small, small_unit): (i64, &str)) -> String {
    let (whole, rest) = (seconds / large, seconds % large / small);
    if rest == 0 {
        return format!("{whole}{large_unit}");
    }
    format!("{whole}{large_unit}{rest}{small_unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_get_coarser() {
        let cases = [
            (-2, "<invalid>"),
            (-1, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (125, "2m5s"),
            (600, "10m"),
            (3 * HOUR - 1, "179m"),
            (3 * HOUR, "3h"),
            (3 * HOUR + 60, "3h1m"),
            (8 * HOUR, "8h"),
            (48 * HOUR - 1, "47h"),
            (48 * HOUR, "2d"),
            (49 * HOUR, "2d1h"),
            (8 * DAY, "8d"),
            (2 * YEAR - 1, "729d"),
            (2 * YEAR + DAY, "2y1d"),
            (9 * YEAR, "9y"),
        ];
        for (seconds, text) in cases {
            assert_eq!(humanised(seconds), text, "{seconds}");
        }
    }
}
