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

/// A duration as Go writes it (`1h30m`), or words such as `2 days` anywhere in the text.
pub(super) fn is_duration(text: &str) -> bool {
    is_go_duration(text) || has_duration_words(text)
}

fn is_go_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let Some(after) = strip_number(rest).and_then(strip_go_unit) else { return false };
        rest = after;
    }
    true
}

fn strip_number(text: &str) -> Option<&str> {
    let whole = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let mut any = whole.len() < text.len();
    let rest = match whole.strip_prefix('.') {
        None => whole,
        Some(fraction) => {
            let rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
            any |= rest.len() < fraction.len();
            rest
        }
    };
    any.then_some(rest)
}

fn strip_go_unit(text: &str) -> Option<&str> {
    let end = text.find(|next: char| next == '.' || next.is_ascii_digit()).unwrap_or(text.len());
    let (unit, rest) = text.split_at_checked(end)?;
    matches!(unit, "ns" | "us" | "µs" | "μs" | "ms" | "s" | "m" | "h").then_some(rest)
}

/// Units by their exact spellings, and a stem that any longer spelling may start with.
const UNITS: [(&[&str], &str); 8] = [
    (&["ns"], "nano"),
    (&["us", "µs"], "micro"),
    (&["ms"], "milli"),
    (&["s"], "sec"),
    (&["m"], "min"),
    (&["h", "hr"], "hour"),
    (&["d"], "day"),
    (&["w", "wk"], "week"),
];

fn has_duration_words(text: &str) -> bool {
    let mut rest = text;
    let mut found = false;
    while let Some(start) = rest.find(|next: char| next.is_ascii_digit()) {
        let Some(number) = rest.get(start..) else { break };
        let after = number.trim_start_matches(|next: char| next.is_ascii_digit());
        let unit_on = after.trim_start();
        let end = unit_on
            .find(|next: char| !(next.is_ascii_alphabetic() || next == 'µ'))
            .unwrap_or(unit_on.len());
        let (unit, next) = unit_on.split_at_checked(end).unwrap_or(("", ""));
        if !unit.is_empty() {
            let digits = number.len() - after.len();
            if digits > 18 {
                return false;
            }
            found |= is_unit(&unit.to_lowercase());
        }
        rest = next;
    }
    found
}

fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|(spellings, stem)| spellings.contains(&word) || word.starts_with(stem))
}
