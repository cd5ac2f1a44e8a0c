//! Dates. A time is a number of seconds since 1970; every zone is UTC.

use gotmpl::Value;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{Call, Table};
use crate::value;

pub(super) const TABLE: Table = &[
    ("now", |call| Ok(Value::Int(call.now.as_seconds()))),
    ("unixEpoch", |call| Ok(time(call, 0)?.to_string().into())),
    ("date", formatted),
    ("dateInZone", formatted),
    ("date_in_zone", formatted),
    ("htmlDate", |call| format_go("2006-01-02", time(call, 0)?)),
    ("htmlDateInZone", |call| format_go("2006-01-02", time(call, 0)?)),
    ("toDate", |call| Ok(Value::Int(parsed(call).unwrap_or_default()))),
    ("mustToDate", |call| parsed(call).map(Value::Int)),
    ("dateModify", modified),
    ("date_modify", modified),
    ("mustDateModify", modified),
    ("must_date_modify", modified),
    ("ago", |call| Ok(duration_text(call.now.as_seconds().saturating_sub(time(call, 0)?)).into())),
    ("duration", |call| Ok(duration_text(call.integer(0)?).into())),
];

/// A time: a number of seconds, or a text in RFC 3339, as objects hold it.
fn time(call: &Call<'_>, index: usize) -> Result<i64, String> {
    match call.value(index)? {
        Value::String(text) => {
            text.parse::<Timestamp>().map(Timestamp::as_second).map_err(|error| error.to_string())
        }
        other => Ok(value::integer(other)),
    }
}

/// `date LAYOUT TIME`.
fn formatted(call: &Call<'_>) -> Result<Value, String> {
    format_go(&call.text(0)?, time(call, 1)?)
}

/// `toDate LAYOUT TEXT`, for layouts of dates and of RFC 3339.
fn parsed(call: &Call<'_>) -> Result<i64, String> {
    let (layout, text) = (call.text(0)?, call.text(1)?);
    let text = match layout.as_str() {
        "2006-01-02" => format!("{text}T00:00:00Z"),
        "2006-01-02T15:04:05Z07:00" => text,
        _ => return Err(format!("the layout {layout:?} cannot be read")),
    };
    text.parse::<Timestamp>().map(Timestamp::as_second).map_err(|error| error.to_string())
}

/// `dateModify DURATION TIME`.
fn modified(call: &Call<'_>) -> Result<Value, String> {
    let text = call.text(0)?;
    let seconds = seconds_of(&text).ok_or_else(|| format!("{text:?} is not a duration"))?;
    Ok(Value::Int(time(call, 1)?.saturating_add(seconds)))
}

/// The seconds of a duration such as `-1h30m`.
fn seconds_of(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut seconds = 0_i64;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
        let (number, tail) = rest.split_at(digits);
        let unit = match tail.chars().next()? {
            'h' => 3600,
            'm' => 60,
            's' => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.parse::<i64>().ok()?.checked_mul(unit)?)?;
        rest = tail.get(1..)?;
    }
    seconds.checked_mul(sign)
}

/// Seconds in the form of Go's durations: `1h2m3s`.
fn duration_text(seconds: i64) -> String {
    let sign = if seconds < 0 { "-" } else { "" };
    let seconds = seconds.unsigned_abs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{sign}{seconds}s"),
        (0, _) => format!("{sign}{minutes}m{seconds}s"),
        _ => format!("{sign}{hours}h{minutes}m{seconds}s"),
    }
}

/// The parts of Go's reference time, longest first where one begins like another, and the same for
/// `strftime`.
const PARTS: [(&str, &str); 24] = [
    ("2006", "%Y"),
    ("January", "%B"),
    ("Jan", "%b"),
    ("Monday", "%A"),
    ("Mon", "%a"),
    ("MST", "UTC"),
    ("Z07:00", "Z"),
    ("-07:00", "+00:00"),
    ("-0700", "+0000"),
    ("01", "%m"),
    ("02", "%d"),
    ("03", "%I"),
    ("04", "%M"),
    ("05", "%S"),
    ("06", "%y"),
    ("15", "%H"),
    ("_2", "%e"),
    ("PM", "%p"),
    ("pm", "%P"),
    ("1", "%-m"),
    ("2", "%-d"),
    ("3", "%-I"),
    ("4", "%-M"),
    ("5", "%-S"),
];

fn format_go(layout: &str, seconds: i64) -> Result<Value, String> {
    let time = Timestamp::from_second(seconds).map_err(|error| error.to_string())?;
    let mut format = String::new();
    let mut rest = layout;
    while let Some(letter) = rest.chars().next() {
        let part = PARTS.iter().find_map(|(go, own)| Some((rest.strip_prefix(go)?, own)));
        if let Some((tail, own)) = part {
            format.push_str(own);
            rest = tail;
            continue;
        }
        if letter == '%' {
            format.push('%');
        }
        format.push(letter);
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
    let zoned = time.to_zoned(TimeZone::UTC);
    jiff::fmt::strtime::format(&format, &zoned).map(Into::into).map_err(|error| error.to_string())
}
