//! Identifiers and encodings with a shape or a check digit of their own.

/// Hexadecimal digits in groups of 8-4-4-4-12, the dashes optional.
pub(super) fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    let mut digits = String::with_capacity(32);
    for (index, width) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(width) else { return false };
        digits.push_str(group);
        rest = after;
    }
    let marks_version =
        version.is_none_or(|version| digits.get(12..).is_some_and(|on| on.starts_with(version)));
    let marks_variant = matches!(version, None | Some('3'))
        || digits.get(16..).is_some_and(|on| on.starts_with(['8', '9', 'a', 'b', 'A', 'B']));
    rest.is_empty()
        && digits.chars().all(|digit| digit.is_ascii_hexdigit())
        && marks_version
        && marks_variant
}

fn without_separators(text: &str) -> String {
    text.chars().filter(|next| !matches!(next, ' ' | '-')).collect()
}

pub(super) fn is_isbn10(text: &str) -> bool {
    let digits = without_separators(text);
    let weighted = digits.chars().enumerate().try_fold(0, |sum, (index, digit)| {
        let value = match digit {
            'X' if index == 9 => 10,
            digit => digit.to_digit(10)?,
        };
        Some(sum + value * (10 - u32::try_from(index).ok().filter(|&index| index < 10)?))
    });
    digits.len() == 10 && weighted.is_some_and(|sum| sum % 11 == 0)
}

pub(super) fn is_isbn13(text: &str) -> bool {
    let digits = without_separators(text);
    let weighted = digits.chars().enumerate().try_fold(0, |sum, (index, digit)| {
        Some(sum + digit.to_digit(10)? * if index % 2 == 0 { 1 } else { 3 })
    });
    digits.len() == 13 && weighted.is_some_and(|sum| sum % 10 == 0)
}

/// A number of one of the large issuers whose check digit (Luhn) is right.
pub(super) fn is_credit_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|next| next.to_digit(10)).collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, &digit)| match (index % 2, digit * 2) {
            (0, _) => digit,
            (_, doubled) if doubled > 9 => doubled - 9,
            (_, doubled) => doubled,
        })
        .sum();
    is_issued(&digits) && sum.is_multiple_of(10)
}

fn is_issued(digits: &[u32]) -> bool {
    let start =
        |count: usize| digits.iter().take(count).fold(0, |number, digit| number * 10 + digit);
    match digits.len() {
        13 => start(1) == 4,
        14 => matches!(start(3), 300..=305) || matches!(start(2), 36 | 38),
        15 => matches!(start(2), 34 | 37) || matches!(start(4), 2131 | 1800),
        16 => start(1) == 4 || matches!(start(2), 51..=55 | 65 | 35) || start(4) == 6011,
        _ => false,
    }
}

/// `123-45-6789`, the separators optional.
pub(super) fn is_social_security_number(text: &str) -> bool {
    let mut rest = text;
    for (index, width) in [3, 2, 4].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix(['-', ' ']).unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(width) else { return false };
        if !group.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `rgb(255, 255, 0)`
pub(super) fn is_rgb_color(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    parts.len() == 3
        && parts.iter().all(|part| {
            part.bytes().all(|byte| byte.is_ascii_digit()) && part.parse::<u8>().is_ok()
        })
}

/// Padded base64 of the standard alphabet; the empty text is none.
pub(super) fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body.bytes().all(alphabet)
}
