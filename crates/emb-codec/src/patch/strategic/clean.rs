//! What becomes of a part of a patch that meets nothing to merge with: it is taken over, without the nulls (they
//! delete what is not there) and without anything that carries a directive.

use serde_json::Value;

use super::{DELETE_FROM_LIST, Members, PATCH, RETAIN_KEYS, SET_ORDER};

/// The value to take over; `None` when the value itself carries a directive.
pub(super) fn cleaned(value: Value) -> Option<Value> {
    match value {
        Value::Object(change) if change.contains_key(PATCH) => None,
        Value::Object(change) => Some(Value::Object(members(change))),
        Value::Array(list) => Some(Value::Array(items(list))),
        plain => Some(plain),
    }
}

/// The members to take over of an object whose own directive is dealt with.
pub(super) fn members(change: Members) -> Members {
    change
        .into_iter()
        .filter(|(key, value)| !value.is_null() && !is_directive(key))
        .filter_map(|(key, value)| Some((key, cleaned(value)?)))
        .collect()
}

/// The items to take over of a list.
pub(super) fn items(list: Vec<Value>) -> Vec<Value> {
    list.into_iter().filter_map(cleaned).collect()
}

fn is_directive(key: &str) -> bool {
    key == RETAIN_KEYS || key.starts_with(DELETE_FROM_LIST) || key.starts_with(SET_ORDER)
}
