//! Strategic merge patches: a merge patch that knows which lists are really maps or sets, and that may carry
//! directives (`$patch`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…`, `$retainKeys`).

mod clean;
mod keys;
mod list;
mod order;

use std::collections::HashSet;

use serde_json::{Map, Value};

use self::clean::cleaned;
use super::PatchError;

pub use keys::{MergeKeys, MergeRule};

type Members = Map<String, Value>;

const PATCH: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList/";
const SET_ORDER: &str = "$setElementOrder/";

/// Changes `target` as `patch` says; `keys` tells how the kind's lists merge.
pub fn strategic(target: &mut Value, patch: &Value, keys: &MergeKeys) -> Result<(), PatchError> {
    let (Value::Object(members), Value::Object(patch)) = (target, patch) else {
        return Err(PatchError::Malformed("a strategic merge patch is an object"));
    };
    Merger { keys }.map(members, patch.clone(), "")
}

/// What `$patch` asks to do with the object or list item that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    Replace,
    Delete,
}

impl Directive {
    /// Takes the directive out of a patch.
    fn take(patch: &mut Members) -> Result<Option<Self>, PatchError> {
        let Some(directive) = patch.remove(PATCH) else { return Ok(None) };
        match directive.as_str() {
            Some("replace") => Ok(Some(Self::Replace)),
            Some("delete") => Ok(Some(Self::Delete)),
            _ => {
                let shown = directive.as_str().map_or(directive.to_string(), str::to_owned);
                let rest = Value::Object(std::mem::take(patch));
                Err(refused(format!("unknown patch type: {shown} in map: {rest}")))
            }
        }
    }
}

struct Merger<'k> {
    keys: &'k MergeKeys,
}

impl Merger<'_> {
    /// Merges one object, at a dotted path, into another.
    fn map(
        &self,
        original: &mut Members,
        mut patch: Members,
        path: &str,
    ) -> Result<(), PatchError> {
        match Directive::take(&mut patch)? {
            Some(Directive::Replace) => {
                *original = clean::members(patch);
                return Ok(());
            }
            Some(Directive::Delete) => {
                original.clear();
                return Ok(());
            }
            None => {}
        }
        retain_keys(original, &mut patch)?;
        self.ordered_lists(original, &mut patch, path)?;
        for (key, change) in patch {
            match key.strip_prefix(DELETE_FROM_LIST) {
                Some(field) => delete_from_list(original, field, &change)?,
                None => self.member(original, key, change, path)?,
            }
        }
        Ok(())
    }

    fn member(
        &self,
        original: &mut Members,
        key: String,
        change: Value,
        path: &str,
    ) -> Result<(), PatchError> {
        let place = joined(path, &key);
        match (original.get_mut(&key), change) {
            (_, Value::Null) => {
                original.remove(&key);
            }
            (Some(Value::Object(members)), Value::Object(change))
                if self.keys.rule(&place) != Some(MergeRule::Replace) =>
            {
                self.map(members, change, &place)?;
            }
            (Some(Value::Array(items)), Value::Array(change)) => {
                let old = std::mem::take(items);
                *items = self.list(old, change, &place)?;
            }
            (_, change) => match cleaned(change) {
                Some(value) => {
                    original.insert(key, value);
                }
                None => {
                    original.remove(&key);
                }
            },
        }
        Ok(())
    }
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn refused(text: impl Into<String>) -> PatchError {
    PatchError::Strategic(text.into())
}

/// `$retainKeys` lists the members that may stay; the patch must not set others.
fn retain_keys(original: &mut Members, patch: &mut Members) -> Result<(), PatchError> {
    let malformed = || refused("invalid patch format of retainKeys");
    let Some(retained) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let retained = retained.as_array().ok_or_else(malformed)?;
    let keeps = |key: &str| retained.iter().any(|kept| kept.as_str() == Some(key));
    let stray = patch.iter().any(|(key, change)| {
        let directive = key.starts_with(DELETE_FROM_LIST) || key.starts_with(SET_ORDER);
        !(change.is_null() || directive || keeps(key))
    });
    if stray {
        return Err(malformed());
    }
    original.retain(|key, _| keeps(key));
    Ok(())
}

fn delete_from_list(
    original: &mut Members,
    field: &str,
    deleted: &Value,
) -> Result<(), PatchError> {
    let deleted =
        deleted.as_array().ok_or_else(|| refused("invalid patch format of primitive list"))?;
    let deleted: HashSet<&Value> = deleted.iter().collect();
    if let Some(Value::Array(items)) = original.get_mut(field) {
        items.retain(|item| !deleted.contains(item));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
