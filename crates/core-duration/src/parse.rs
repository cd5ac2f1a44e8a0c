//! Go's duration grammar: `[+-]? ( "0" | (digits ["." digits] unit)+ )`.

use thiserror::Error;

/// Two to the power of 63: the magnitude of the most negative duration.
const LIMIT: u64 = 1 << 63;

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseDurationError {
    /// The text does not follow the grammar, or exceeds the range.
    #[error("time: invalid duration {0:?}")]
    Invalid(String),
    /// A number has no unit behind it.
    #[error("time: missing unit in duration {0:?}")]
    MissingUnit(String),
    /// A number is followed by a word that is no unit.
    #[error("time: unknown unit {unit:?} in duration {text:?}")]
    UnknownUnit {
        /// The word found.
        unit: String,
        /// The whole text.
        text: String,
    },
}

/// Reads a duration as nanoseconds.
pub fn parse(text: &str) -> Result<i64, ParseDurationError> {
    let invalid = || ParseDurationError::Invalid(text.to_owned());
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let (nanos, tail) = parse_term(rest, text)?;
        total = total.checked_add(nanos).filter(|sum| *sum <= LIMIT).ok_or_else(invalid)?;
        rest = tail;
    }
    if negative {
        return Ok(0_i64.checked_sub_unsigned(total).unwrap_or(i64::MIN));
    }
    i64::try_from(total).map_err(|_| invalid())
}

/// Reads one number with its unit; returns nanoseconds and what follows.
fn parse_term<'a>(term: &'a str, text: &str) -> Result<(u64, &'a str), ParseDurationError> {
    let invalid = || ParseDurationError::Invalid(text.to_owned());
    let (whole_digits, rest) = split_digits(term);
    let (fraction_digits, rest) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    if whole_digits.is_empty() && fraction_digits.is_empty() {
        return Err(invalid());
    }
    let unit_end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit_name, rest) = rest.split_at(unit_end);
    if unit_name.is_empty() {
        return Err(ParseDurationError::MissingUnit(text.to_owned()));
    }
    let unit = unit_nanos(unit_name).ok_or_else(|| ParseDurationError::UnknownUnit {
        unit: unit_name.to_owned(),
        text: text.to_owned(),
    })?;
    let whole = parse_whole(whole_digits).ok_or_else(invalid)?;
    let nanos = whole
        .checked_mul(unit)
        .and_then(|nanos| nanos.checked_add(fraction_nanos(fraction_digits, unit)))
        .filter(|nanos| *nanos <= LIMIT)
        .ok_or_else(invalid)?;
    Ok((nanos, rest))
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

fn parse_whole(digits: &str) -> Option<u64> {
    if digits.is_empty() { Some(0) } else { digits.parse().ok() }
}

/// The part of `unit` that the decimals stand for.
///
/// Calculated in floating point because Go does, and one nanosecond of difference would make two
/// writers disagree about the same text. Digits that no longer fit are ignored.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is positive and below the unit; rounding is the point"
)]
fn fraction_nanos(digits: &str, unit: u64) -> u64 {
    let mut value = 0_u64;
    let mut scale = 1.0_f64;
    for digit in digits.bytes() {
        if value > (LIMIT - 1) / 10 {
            break;
        }
        value = value * 10 + u64::from(digit - b'0');
        scale *= 10.0;
    }
    (value as f64 * (unit as f64 / scale)) as u64
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
