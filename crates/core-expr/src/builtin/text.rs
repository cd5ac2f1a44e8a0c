//! Texts.

use std::sync::Arc;

use memchr::memmem;

use crate::builtin::{Arguments, Builtin, to_int, wrong_type};
use crate::error::Trouble;
use crate::go::{to_lower, to_upper};
use crate::limits::Budget;
use crate::text::{Characters, Text};
use crate::value::{Data, List, ListKind, Value};

/// The most often a text may be repeated.
const MAX_REPETITIONS: i64 = 1_000_000;

pub(super) fn call(
    builtin: Builtin,
    arguments: &Arguments<'_>,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    if builtin == Builtin::Join {
        return join(arguments, budget);
    }
    let text = arguments.text(0)?;
    let bytes = text.as_bytes();
    Ok(match builtin {
        Builtin::Upper => Value::text(to_upper(text)),
        Builtin::Lower => Value::text(to_lower(text)),
        Builtin::Trim => Value::text(trim(bytes, arguments.optional_text(1)?)),
        Builtin::TrimPrefix => {
            let prefix = arguments.optional_text(1)?.map_or(&b" "[..], Text::as_bytes);
            Value::text(bytes.strip_prefix(prefix).unwrap_or(bytes))
        }
        Builtin::TrimSuffix => {
            let suffix = arguments.optional_text(1)?.map_or(&b" "[..], Text::as_bytes);
            Value::text(bytes.strip_suffix(suffix).unwrap_or(bytes))
        }
        Builtin::Split | Builtin::SplitAfter => {
            let limit = if arguments.len() > 2 { to_int(arguments.value(2)?)? } else { -1 };
            split(
                bytes,
                arguments.text(1)?.as_bytes(),
                limit,
                builtin == Builtin::SplitAfter,
                budget,
            )?
        }
        Builtin::Replace => {
            let limit = if arguments.len() > 3 { to_int(arguments.value(3)?)? } else { -1 };
            let (old, new) = (arguments.text(1)?.as_bytes(), arguments.text(2)?.as_bytes());
            Value::text(replace(bytes, old, new, limit, budget)?)
        }
        Builtin::Repeat => repeat(bytes, to_int(arguments.value(1)?)?, budget)?,
        Builtin::IndexOf => position(memmem::find(bytes, arguments.text(1)?.as_bytes())),
        Builtin::LastIndexOf => position(memmem::rfind(bytes, arguments.text(1)?.as_bytes())),
        Builtin::HasPrefix => Data::Bool(bytes.starts_with(arguments.text(1)?.as_bytes())).into(),
        _ => Data::Bool(bytes.ends_with(arguments.text(1)?.as_bytes())).into(),
    })
}

fn position(position: Option<usize>) -> Value {
    Value::int(position.and_then(|position| i64::try_from(position).ok()).unwrap_or(-1))
}

/// Removes characters of a set, or white space, from both ends.
fn trim<'a>(bytes: &'a [u8], set: Option<&Text>) -> &'a [u8] {
    let set = set.map(|set| set.to_str().into_owned());
    let is_removed = |character: Option<char>| match (&set, character) {
        (None, Some(character)) => character.is_whitespace(),
        (Some(set), Some(character)) => set.contains(character),
        (_, None) => false,
    };
    let mut start = 0;
    for (part, character) in Characters::new(bytes) {
        if !is_removed(character) {
            break;
        }
        start += part.len();
    }
    let rest = bytes.get(start..).unwrap_or_default();
    let mut end = 0;
    let mut position = 0;
    for (part, character) in Characters::new(rest) {
        position += part.len();
        if !is_removed(character) {
            end = position;
        }
    }
    rest.get(..end).unwrap_or_default()
}

fn split(
    bytes: &[u8],
    separator: &[u8],
    limit: i64,
    after: bool,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    if limit == 0 {
        return Ok(Data::List(Arc::new(List::nil(ListKind::Texts))).into());
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let ends: Vec<(usize, usize)> = if separator.is_empty() {
        character_ends(bytes, limit)
    } else {
        let found = memmem::find_iter(bytes, separator).take(limit - 1);
        found.map(|start| (start, start + separator.len())).collect()
    };
    budget.elements(ends.len() + 1)?;
    let mut parts = Vec::with_capacity(ends.len() + 1);
    let mut start = 0;
    for (end, next) in ends {
        let part = bytes.get(start..if after { next } else { end }).unwrap_or_default();
        parts.push(Value::text(part));
        start = next;
    }
    let rest = bytes.get(start..).unwrap_or_default();
    if !(separator.is_empty() && rest.is_empty()) {
        parts.push(Value::text(rest));
    }
    Ok(Data::List(Arc::new(List::new(parts, ListKind::Texts))).into())
}

/// Where characters end, for at most `limit` parts.
fn character_ends(bytes: &[u8], limit: usize) -> Vec<(usize, usize)> {
    let mut end = 0;
    let ends = Characters::new(bytes).map(|(part, _)| {
        end += part.len();
        (end, end)
    });
    ends.take(limit - 1).collect()
}

fn replace(
    bytes: &[u8],
    old: &[u8],
    new: &[u8],
    limit: i64,
    budget: &mut Budget,
) -> Result<Vec<u8>, Trouble> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let places: Vec<usize> = if old.is_empty() {
        let ends = character_ends(bytes, usize::MAX).into_iter().map(|(end, _)| end);
        std::iter::once(0).chain(ends).take(limit).collect()
    } else {
        memmem::find_iter(bytes, old).take(limit).collect()
    };
    budget.text(bytes.len().saturating_add(places.len().saturating_mul(new.len())))?;
    let mut result = Vec::with_capacity(bytes.len());
    let mut start = 0;
    for place in places {
        result.extend(bytes.get(start..place).unwrap_or_default());
        result.extend(new);
        start = place + old.len();
    }
    result.extend(bytes.get(start..).unwrap_or_default());
    Ok(result)
}

fn repeat(bytes: &[u8], count: i64, budget: &mut Budget) -> Result<Value, Trouble> {
    if count < 0 {
        let message =
            format!("invalid argument for repeat (expected positive integer, got {count})");
        return Err(Trouble::Invalid(message));
    }
    if count > MAX_REPETITIONS {
        return Err(Trouble::Limit("memory budget exceeded"));
    }
    let count = usize::try_from(count).unwrap_or_default();
    let size = bytes.len().saturating_mul(count);
    budget.elements(size)?;
    budget.text(size)?;
    Ok(Value::text(bytes.repeat(count)))
}

fn join(arguments: &Arguments<'_>, budget: &mut Budget) -> Result<Value, Trouble> {
    let value = arguments.value(0)?;
    let glue = arguments.optional_text(1)?.map_or(&b""[..], Text::as_bytes);
    let items = match &value.data {
        Data::List(list) if matches!(list.kind, ListKind::Any | ListKind::Texts) => &list.items,
        _ => return Err(wrong_type(value, "list of strings")),
    };
    let mut result = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let text = item.as_text().ok_or_else(|| wrong_type(item, "string"))?;
        budget.text(text.len() + glue.len())?;
        if index > 0 {
            result.extend(glue);
        }
        result.extend(text.as_bytes());
    }
    Ok(Value::text(result))
}
