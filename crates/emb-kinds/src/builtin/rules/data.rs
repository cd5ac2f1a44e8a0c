//! Rules that Secrets and ConfigMaps share: keys, size, immutability.

use emb_meta::{FieldError, FieldPath};
use serde_json::{Map, Value, json};

/// Entries of one object may decode to this many bytes.
pub(super) const SIZE_LIMIT: usize = 1_048_576;

const KEY_LIMIT: usize = 253;
const IMMUTABLE: &str = "field is immutable when `immutable` is set";

/// The entries under `member`.
pub(super) fn entries<'a>(
    object: &'a Value,
    member: &str,
) -> impl Iterator<Item = (&'a String, &'a str)> {
    let map: Option<&Map<String, Value>> = object.get(member).and_then(Value::as_object);
    map.into_iter().flatten().map(|(key, value)| (key, value.as_str().unwrap_or_default()))
}

/// What is wrong with `key` under `member`.
pub(super) fn check_key(member: &str, key: &str) -> Option<FieldError> {
    let problem = key_problem(key)?;
    Some(FieldError::invalid(FieldPath::new(member).key(key), &json!(key), &problem))
}

fn key_problem(key: &str) -> Option<String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if key.len() > KEY_LIMIT {
        return Some(format!("must be no more than {KEY_LIMIT} characters"));
    }
    if key.is_empty() || !key.bytes().all(allowed) {
        return Some("a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')".to_owned());
    }
    match key {
        "." | ".." => Some(format!("must not be '{key}'")),
        _ if key.starts_with("..") => Some("must not start with '..'".to_owned()),
        _ => None,
    }
}

/// Refuses changes of `members` when `old` is immutable.
pub(super) fn check_immutable(
    new: &Value,
    old: &Value,
    members: &[&str],
    errors: &mut Vec<FieldError>,
) {
    let is_set = |object: &Value| object.get("immutable").and_then(Value::as_bool) == Some(true);
    if !is_set(old) {
        return;
    }
    if !is_set(new) {
        errors.push(FieldError::forbidden("immutable", IMMUTABLE));
    }
    for member in members {
        if new.get(member) != old.get(member) {
            errors.push(FieldError::forbidden(*member, IMMUTABLE));
        }
    }
}
