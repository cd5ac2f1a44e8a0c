//! Lists.

use gotmpl::Value;

use super::{Call, Table, list_of};
use crate::value;

pub(super) const TABLE: Table = &[
    ("list", |call| Ok(list_of(call.arguments.iter().cloned()))),
    ("tuple", |call| Ok(list_of(call.arguments.iter().cloned()))),
    ("append", append),
    ("push", append),
    ("mustAppend", append),
    ("mustPush", append),
    ("prepend", prepend),
    ("mustPrepend", prepend),
    ("first", |call| Ok(call.list(0)?.first().cloned().unwrap_or(Value::Nil))),
    ("mustFirst", |call| Ok(call.list(0)?.first().cloned().unwrap_or(Value::Nil))),
    ("last", |call| Ok(call.list(0)?.last().cloned().unwrap_or(Value::Nil))),
    ("mustLast", |call| Ok(call.list(0)?.last().cloned().unwrap_or(Value::Nil))),
    ("rest", rest),
    ("mustRest", rest),
    ("initial", initial),
    ("mustInitial", initial),
    ("reverse", reverse),
    ("mustReverse", reverse),
    ("uniq", uniq),
    ("mustUniq", uniq),
    ("without", without),
    ("mustWithout", without),
    ("compact", compact),
    ("mustCompact", compact),
    ("has", has),
    ("mustHas", has),
    ("slice", slice),
    ("mustSlice", slice),
    ("chunk", chunk),
    ("mustChunk", chunk),
    ("concat", concat),
    ("sortAlpha", sort_alpha),
    ("join", join),
    ("toStrings", |call| Ok(super::texts(strings(call.value(0)?)))),
];

fn append(call: &Call<'_>) -> Result<Value, String> {
    Ok(list_of(call.list(0)?.iter().chain([call.value(1)?]).cloned()))
}

fn prepend(call: &Call<'_>) -> Result<Value, String> {
    Ok(list_of([call.value(1)?].into_iter().chain(call.list(0)?).cloned()))
}

fn rest(call: &Call<'_>) -> Result<Value, String> {
    Ok(list_of(call.list(0)?.iter().skip(1).cloned()))
}

fn initial(call: &Call<'_>) -> Result<Value, String> {
    let items = call.list(0)?;
    Ok(list_of(items.iter().take(items.len().saturating_sub(1)).cloned()))
}

fn reverse(call: &Call<'_>) -> Result<Value, String> {
    Ok(list_of(call.list(0)?.iter().rev().cloned()))
}

fn uniq(call: &Call<'_>) -> Result<Value, String> {
    let mut kept: Vec<Value> = Vec::new();
    for item in call.list(0)? {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    }
    Ok(list_of(kept))
}

fn without(call: &Call<'_>) -> Result<Value, String> {
    let unwanted = call.arguments.get(1..).unwrap_or_default();
    Ok(list_of(call.list(0)?.iter().filter(|item| !unwanted.contains(item)).cloned()))
}

fn compact(call: &Call<'_>) -> Result<Value, String> {
    Ok(list_of(call.list(0)?.iter().filter(|item| item.is_truthy()).cloned()))
}

fn has(call: &Call<'_>) -> Result<Value, String> {
    if matches!(call.value(1)?, Value::Nil) {
        return Ok(Value::Bool(false));
    }
    Ok(Value::Bool(call.list(1)?.contains(call.value(0)?)))
}

/// A part of a list, or of a text as the function of the language of this name gives it.
fn slice(call: &Call<'_>) -> Result<Value, String> {
    let bound = |index: usize| call.arguments.get(index).map(value::integer);
    call.value(0)?.slice(bound(1), bound(2)).map_err(|error| error.to_string())
}

fn chunk(call: &Call<'_>) -> Result<Value, String> {
    let size = call.size(0)?;
    if size == 0 {
        return Err("the size of a chunk is at least one".to_owned());
    }
    Ok(list_of(call.list(1)?.chunks(size).map(|items| list_of(items.iter().cloned()))))
}

fn concat(call: &Call<'_>) -> Result<Value, String> {
    let mut all = Vec::new();
    for index in 0..call.arguments.len() {
        all.extend(call.list(index)?.iter().cloned());
    }
    Ok(list_of(all))
}

fn sort_alpha(call: &Call<'_>) -> Result<Value, String> {
    let mut sorted = strings(call.value(0)?);
    sorted.sort();
    Ok(super::texts(sorted))
}

fn join(call: &Call<'_>) -> Result<Value, String> {
    let separator = call.text(0)?;
    let items = strings(call.value(1)?);
    // Charged before it is made: the separator stands between all of them.
    if separator.len().saturating_mul(items.len()) > crate::MAX_OUTPUT {
        return Err("the joined text is too long".to_owned());
    }
    Ok(items.join(&separator).into())
}

/// The texts of a list; nothing is left out by lists, and a single value is a list of one.
fn strings(list: &Value) -> Vec<String> {
    match list {
        Value::List(items) => {
            let present = items.iter().filter(|item| !matches!(item, Value::Nil));
            present.map(value::text).collect()
        }
        Value::Nil => Vec::new(),
        other => vec![value::text(other)],
    }
}
