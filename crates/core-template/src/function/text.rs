//! Texts. Lengths count characters, so that none is cut in two.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::Value;

use super::{Call, Table, builtin, texts};
use crate::value;

pub(super) const TABLE: Table = &[
    ("toString", |call| Ok(call.text(0)?.into())),
    ("trim", |call| Ok(call.text(0)?.trim().into())),
    ("trimAll", trim_all),
    ("trimall", trim_all),
    ("trimSuffix", |call| {
        let (suffix, text) = (call.text(0)?, call.text(1)?);
        Ok(text.strip_suffix(suffix.as_str()).unwrap_or(&text).into())
    }),
    ("trimPrefix", |call| {
        let (prefix, text) = (call.text(0)?, call.text(1)?);
        Ok(text.strip_prefix(prefix.as_str()).unwrap_or(&text).into())
    }),
    ("upper", |call| Ok(call.text(0)?.to_uppercase().into())),
    ("lower", |call| Ok(call.text(0)?.to_lowercase().into())),
    ("title", |call| Ok(by_word(&call.text(0)?, |first| first.to_uppercase().collect()).into())),
    ("untitle", |call| Ok(by_word(&call.text(0)?, |first| first.to_lowercase().collect()).into())),
    ("nospace", |call| Ok(call.text(0)?.split_whitespace().collect::<String>().into())),
    ("contains", |call| Ok(Value::Bool(call.text(1)?.contains(call.text(0)?.as_str())))),
    ("hasPrefix", |call| Ok(Value::Bool(call.text(1)?.starts_with(call.text(0)?.as_str())))),
    ("hasSuffix", |call| Ok(Value::Bool(call.text(1)?.ends_with(call.text(0)?.as_str())))),
    ("replace", replace),
    ("repeat", repeat),
    ("trunc", trunc),
    ("substr", substr),
    ("abbrev", |call| Ok(abbreviated(&call.text(1)?, 0, call.integer(0)?).into())),
    ("abbrevboth", |call| Ok(abbreviated(&call.text(2)?, call.size(0)?, call.integer(1)?).into())),
    ("initials", |call| {
        let text = call.text(0)?;
        Ok(text
            .split_whitespace()
            .filter_map(|word| word.chars().next())
            .collect::<String>()
            .into())
    }),
    ("quote", quote),
    ("squote", |call| {
        let quoted = present(call).map(|value| format!("'{}'", value::text(value)));
        Ok(quoted.collect::<Vec<_>>().join(" ").into())
    }),
    ("cat", |call| Ok(present(call).map(value::text).collect::<Vec<_>>().join(" ").into())),
    ("indent", |call| indented(call, "")),
    ("nindent", |call| indented(call, "\n")),
    ("plural", |call| call.value(usize::from(call.integer(2)? != 1)).cloned()),
    ("splitList", |call| Ok(texts(call.text(1)?.split(call.text(0)?.as_str())))),
    ("split", |call| Ok(numbered(call.text(1)?.split(call.text(0)?.as_str())))),
    ("splitn", |call| {
        let (separator, count, text) = (call.text(0)?, call.size(1)?, call.text(2)?);
        Ok(numbered(text.splitn(count, separator.as_str())))
    }),
];

fn trim_all(call: &Call<'_>) -> Result<Value, String> {
    let letters = call.text(0)?;
    Ok(call.text(1)?.trim_matches(|letter| letters.contains(letter)).into())
}

fn replace(call: &Call<'_>) -> Result<Value, String> {
    let (old, new, text) = (call.text(0)?, call.text(1)?, call.text(2)?);
    let count = if old.is_empty() { text.len() + 1 } else { text.matches(old.as_str()).count() };
    limit(count.saturating_mul(new.len()))?;
    Ok(text.replace(old.as_str(), &new).into())
}

fn repeat(call: &Call<'_>) -> Result<Value, String> {
    let (count, text) = (call.size(0)?, call.text(1)?);
    limit(count.saturating_mul(text.len()))?;
    Ok(text.repeat(count).into())
}

/// The first so many characters, or the last when the number is negative.
fn trunc(call: &Call<'_>) -> Result<Value, String> {
    let (length, text) = (call.integer(0)?, call.text(1)?);
    let wanted = usize::try_from(length.unsigned_abs()).unwrap_or(usize::MAX);
    let skipped = if length < 0 { text.chars().count().saturating_sub(wanted) } else { 0 };
    Ok(text.chars().skip(skipped).take(wanted).collect::<String>().into())
}

/// `substr START END TEXT`; a negative start is the beginning, a negative end the end.
fn substr(call: &Call<'_>) -> Result<Value, String> {
    let (start, text) = (call.size(0)?, call.text(2)?);
    let end = usize::try_from(call.integer(1)?).unwrap_or(usize::MAX);
    Ok(text.chars().take(end).skip(start).collect::<String>().into())
}

/// The text from an offset on, in at most so many characters, with dots where something is left out.
fn abbreviated(text: &str, offset: usize, width: i64) -> String {
    let width = usize::try_from(width).unwrap_or_default();
    let length = text.chars().count();
    if width < 4 || length <= width || (offset > 0 && width < 7) {
        return text.to_owned();
    }
    let offset =
        if length.saturating_sub(offset) < width - 3 { length - (width - 3) } else { offset };
    let (before, room) = if offset <= 4 { ("", width) } else { ("...", width - 3) };
    let start = if offset <= 4 { 0 } else { offset };
    let rest = length - start;
    if rest <= room {
        return format!("{before}{}", text.chars().skip(start).collect::<String>());
    }
    let kept: String = text.chars().skip(start).take(room - 3).collect();
    format!("{before}{kept}...")
}

fn quote(call: &Call<'_>) -> Result<Value, String> {
    let mut quoted = Vec::new();
    for argument in present(call) {
        quoted.push(builtin::quoted(&value::text(argument), call.now)?);
    }
    Ok(quoted.join(" ").into())
}

fn indented(call: &Call<'_>, before: &str) -> Result<Value, String> {
    let (width, text) = (call.size(0)?, call.text(1)?);
    limit(text.split('\n').count().saturating_mul(width))?;
    let padding = " ".repeat(width);
    Ok(format!("{before}{padding}{}", text.replace('\n', &format!("\n{padding}"))).into())
}

fn present<'a>(call: &'a Call<'_>) -> impl Iterator<Item = &'a Value> {
    call.arguments.iter().filter(|value| !matches!(value, Value::Nil))
}

/// Changes the first letter of each word.
fn by_word(text: &str, change: fn(char) -> String) -> String {
    let mut is_start = true;
    let mut changed = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_start {
            changed.push_str(&change(letter));
        } else {
            changed.push(letter);
        }
        is_start = letter.is_whitespace();
    }
    changed
}

/// Parts as a dict with keys `_0`, `_1` and so on.
fn numbered<'a>(parts: impl Iterator<Item = &'a str>) -> Value {
    let entries = parts.enumerate().map(|(index, part)| (format!("_{index}").into(), part.into()));
    entries.collect::<BTreeMap<Arc<str>, Value>>().into()
}

/// Refuses a text that would be too long before it is made.
fn limit(length: usize) -> Result<(), String> {
    if length > crate::MAX_OUTPUT { Err("the text is too long".to_owned()) } else { Ok(()) }
}
