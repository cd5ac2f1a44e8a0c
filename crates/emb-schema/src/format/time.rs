//! Dates, times and durations.

/// `2006-01-02`, a day that exists.
pub(super) fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(day)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) = (digits(year, 4), digits(month, 2), digits(day, 2))
    else {
        return false;
    };
    (1..=days_in(year, month)).contains(&day)
}

fn digits(text: &str, count: usize) -> Option<u32> {
    let all_digits = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| text.parse().ok()).flatten()
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

/// RFC 3339, in either case of the letters.
pub(super) fn is_date_time(text: &str) -> bool {
    text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time))
}

fn is_time(text: &str) -> bool {
    let Some(clock) = text.get(..8) else { return false };
    let mut parts = clock.splitn(3, ':');
    let mut part = |limit: u32| {
        parts.next().and_then(|part| digits(part, 2)).is_some_and(|part| part <= limit)
    };
    part(23) && part(59) && part(59) && text.get(8..).is_some_and(is_fraction_and_zone)
}

fn is_fraction_and_zone(text: &str) -> bool {
    let zone = match text.strip_prefix('.') {
        None => text,
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
            if zone.len() == fraction.len() {
                return false;
            }
            zone
        }
    };
    let is_offset = |zone: &str| {
        zone.strip_prefix(['+', '-']).and_then(|offset| offset.split_once(':')).is_some_and(
            |(hours, minutes)| digits(hours, 2).is_some() && digits(minutes, 2).is_some(),
        )
    };
    matches!(zone, "Z" | "z") || is_offset(zone)
}

/// The nanoseconds of a duration as Go writes it (`1h30m`), or of words such as `2 days` anywhere in the text.
pub(crate) fn duration(text: &str) -> Option<i64> {
    core_duration::parse(text).ok().or_else(|| duration_of_words(text))
}

/// Units by their nanoseconds, their exact spellings, and a stem that any longer spelling may start with.
const UNITS: [(i64, &[&str], &str); 8] = [
    (1, &["ns"], "nano"),
    (1_000, &["us", "µs"], "micro"),
    (1_000_000, &["ms"], "milli"),
    (SECOND, &["s"], "sec"),
    (60 * SECOND, &["m"], "min"),
    (3_600 * SECOND, &["h", "hr"], "hour"),
    (24 * 3_600 * SECOND, &["d"], "day"),
    (7 * 24 * 3_600 * SECOND, &["w", "wk"], "week"),
];
const SECOND: i64 = 1_000_000_000;

/// The sum of all numbers with a unit, as long as there is one; too much starts again below, as it does upstream.
fn duration_of_words(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut total: Option<i64> = None;
    while let Some(start) = rest.find(|next: char| next.is_ascii_digit()) {
        let from = rest.get(start..)?;
        let after = from.trim_start_matches(|next: char| next.is_ascii_digit());
        let number = from.strip_suffix(after)?;
        let unit_on = after.trim_ascii_start();
        let end = unit_on
            .find(|next: char| !(next.is_ascii_alphabetic() || next == 'µ'))
            .unwrap_or(unit_on.len());
        let (unit, next) = unit_on.split_at_checked(end)?;
        if !unit.is_empty() {
            let number: i64 = number.parse().ok()?;
            if let Some(nanos) = unit_nanos(&unit.to_lowercase()) {
                total = Some(total.unwrap_or(0).wrapping_add(number.wrapping_mul(nanos)));
            }
        }
        rest = next;
    }
    total
}

fn unit_nanos(word: &str) -> Option<i64> {
    let unit = UNITS
        .iter()
        .find(|(_, spellings, stem)| spellings.contains(&word) || word.starts_with(stem));
    unit.map(|(nanos, ..)| *nanos)
}
