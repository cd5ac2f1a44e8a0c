//! Small pieces of times: numbers, names and abbreviations of zones.

/// Drops text that stands literally in the layout; a run of blanks matches any run of blanks.
pub(super) fn skip<'a>(mut text: &'a str, mut literal: &str) -> Option<&'a str> {
    while let Some(first) = literal.chars().next() {
        if first == ' ' {
            if !text.is_empty() && !text.starts_with(' ') {
                return None;
            }
            literal = literal.trim_start_matches(' ');
            text = text.trim_start_matches(' ');
        } else {
            text = text.strip_prefix(first)?;
            literal = literal.get(first.len_utf8()..)?;
        }
    }
    Some(text)
}

/// Exactly `count` digits.
pub(super) fn digits(text: &str, count: usize) -> Option<(&str, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    (count > 0 && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some((digits, rest))
}

/// A number of one or two digits; exactly two when `fixed`.
pub(super) fn number(text: &str, fixed: bool) -> Option<(i8, &str)> {
    let (digits, rest) = match digits(text, 2) {
        Some(pair) => pair,
        None if fixed => return None,
        None => digits(text, 1)?,
    };
    Some((digits.parse().ok()?, rest))
}

/// Sets a field to a number within a range.
pub(super) fn set<'a>(
    field: &mut i8,
    (number, rest): (i8, &'a str),
    range: std::ops::RangeInclusive<i8>,
) -> Option<&'a str> {
    *field = range.contains(&number).then_some(number)?;
    Some(rest)
}

/// Sets an optional field to a number within a range.
pub(super) fn store<'a>(
    field: &mut Option<i8>,
    (number, rest): (i8, &'a str),
    range: std::ops::RangeInclusive<i8>,
) -> Option<&'a str> {
    *field = Some(range.contains(&number).then_some(number)?);
    Some(rest)
}

/// Minutes or seconds of an offset, if the form has them.
pub(super) fn sexagesimal(text: &str, is_present: bool, colon: bool) -> Option<(i32, &str)> {
    if !is_present {
        return Some((0, text));
    }
    let text = if colon { text.strip_prefix(':')? } else { text };
    let (digits, rest) = digits(text, 2)?;
    Some((digits.parse().ok().filter(|number| *number < 60)?, rest))
}

/// The first nine digits of a fraction of a second.
pub(super) fn nanoseconds(digits: &str) -> i32 {
    let nine: String = digits.chars().chain(std::iter::repeat('0')).take(9).collect();
    nine.parse().unwrap_or_default()
}

/// A name of a month or weekday, in any case.
pub(super) fn take_name(
    text: &str,
    mut names: impl Iterator<Item = &'static str>,
    short: bool,
) -> Option<(usize, &str)> {
    let length = |name: &str| if short { 3 } else { name.len() };
    let mut rest = "";
    let index = names.position(|name| {
        let name = name.get(..length(name)).unwrap_or(name);
        match text.split_at_checked(name.len()) {
            Some((start, after)) if start.eq_ignore_ascii_case(name) => {
                rest = after;
                true
            }
            _ => false,
        }
    })?;
    Some((index, rest))
}

/// Length of the abbreviation of a zone.
pub(super) fn zone_name_length(text: &str) -> Option<usize> {
    if text.starts_with("ChST") || text.starts_with("MeST") {
        return Some(4);
    }
    if let Some(rest) = text.strip_prefix("GMT") {
        let offset = rest.strip_prefix(['+', '-']).unwrap_or_default();
        let digits = offset.bytes().take_while(u8::is_ascii_digit).count();
        return Some(if digits == 0 { 3 } else { 4 + digits });
    }
    if let Some(rest) = text.strip_prefix(['+', '-']) {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        return (digits > 0).then_some(1 + digits);
    }
    let letters = text.bytes().take(6).take_while(u8::is_ascii_uppercase).count();
    let ends_in_t = |length: usize| text.as_bytes().get(length - 1) == Some(&b'T');
    match letters {
        3 => Some(3),
        4 if ends_in_t(4) || text.starts_with("WITA") => Some(4),
        5 if ends_in_t(5) => Some(5),
        _ => None,
    }
}
