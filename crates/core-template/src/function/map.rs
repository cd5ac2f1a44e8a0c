//! Dicts. Values do not change here: `set` and `unset` give a dict that differs.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::Value;

use super::{Call, Table, list_of, texts};
use crate::value;

type Entries = BTreeMap<Arc<str>, Value>;

pub(super) const TABLE: Table = &[
    ("dict", |call| Ok(dict(call))),
    ("get", |call| {
        let found = call.map(0)?.get(call.text(1)?.as_str()).cloned();
        Ok(found.unwrap_or_else(|| "".into()))
    }),
    ("set", |call| {
        let mut entries = call.map(0)?.clone();
        entries.insert(call.text(1)?.into(), call.value(2)?.clone());
        Ok(entries.into())
    }),
    ("unset", |call| {
        let mut entries = call.map(0)?.clone();
        entries.remove(call.text(1)?.as_str());
        Ok(entries.into())
    }),
    ("hasKey", |call| Ok(Value::Bool(call.map(0)?.contains_key(call.text(1)?.as_str())))),
    ("keys", keys),
    ("values", |call| Ok(list_of(call.map(0)?.values().cloned()))),
    ("pluck", pluck),
    ("pick", |call| filtered(call, true)),
    ("omit", |call| filtered(call, false)),
    ("merge", |call| merged(call, false)),
    ("mustMerge", |call| merged(call, false)),
    ("mergeOverwrite", |call| merged(call, true)),
    ("mustMergeOverwrite", |call| merged(call, true)),
    ("dig", dig),
];

fn dict(call: &Call<'_>) -> Value {
    let mut entries = Entries::new();
    for pair in call.arguments.chunks(2) {
        let key = pair.first().map(value::text).unwrap_or_default();
        entries.insert(key.into(), pair.get(1).cloned().unwrap_or_else(|| "".into()));
    }
    entries.into()
}

fn keys(call: &Call<'_>) -> Result<Value, String> {
    let mut keys = Vec::new();
    for index in 0..call.arguments.len() {
        keys.extend(call.map(index)?.keys().map(ToString::to_string));
    }
    Ok(texts(keys))
}

fn pluck(call: &Call<'_>) -> Result<Value, String> {
    let key = call.text(0)?;
    let mut found = Vec::new();
    for index in 1..call.arguments.len() {
        found.extend(call.map(index)?.get(key.as_str()).cloned());
    }
    Ok(list_of(found))
}

fn filtered(call: &Call<'_>, keeps_named: bool) -> Result<Value, String> {
    let named: Vec<String> = call.arguments.iter().skip(1).map(value::text).collect();
    let mut entries = call.map(0)?.clone();
    entries.retain(|key, _| named.iter().any(|name| **name == **key) == keeps_named);
    Ok(entries.into())
}

fn merged(call: &Call<'_>, overwrites: bool) -> Result<Value, String> {
    let mut all = call.map(0)?.clone();
    for index in 1..call.arguments.len() {
        merge(&mut all, call.map(index)?, overwrites);
    }
    Ok(all.into())
}

/// Adds entries, and those of dicts within. What is empty is as good as absent.
fn merge(into: &mut Entries, from: &Entries, overwrites: bool) {
    for (key, value) in from {
        match (into.get(key), value) {
            (Some(Value::Map(old)), Value::Map(new)) => {
                let mut inner = (**old).clone();
                merge(&mut inner, new, overwrites);
                into.insert(key.clone(), inner.into());
            }
            (Some(old), new) if old.is_truthy() && !(overwrites && new.is_truthy()) => {}
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

/// `dig KEY… DEFAULT DICT`.
fn dig(call: &Call<'_>) -> Result<Value, String> {
    let [keys @ .., default, dict] = call.arguments else {
        return Err("dig wants at least three arguments".to_owned());
    };
    let mut found = dict;
    for key in keys {
        let Value::Map(entries) = found else { return Ok(default.clone()) };
        let Some(value) = entries.get(value::text(key).as_str()) else {
            return Ok(default.clone());
        };
        found = value;
    }
    Ok(found.clone())
}
