//! Merging one list into another.

use std::collections::HashSet;

use serde_json::Value;

use super::{
    Directive, Members, Merger, PatchError, SET_ORDER,
    clean::{self, cleaned},
    joined,
    keys::MergeRule,
    order::{self, Positions},
    refused,
};

impl Merger<'_> {
    /// The list at a path after a change.
    pub(super) fn list(
        &self,
        original: Vec<Value>,
        change: Vec<Value>,
        path: &str,
    ) -> Result<Vec<Value>, PatchError> {
        match self.keys.rule(path) {
            Some(MergeRule::Merge(key)) => self.merge_by(key, original, change, path),
            Some(MergeRule::MergePrimitive) => merge_plain(&original, change),
            // What replaces a list as a whole is no patch any more: nothing in it is a directive.
            Some(MergeRule::Replace) | None => Ok(change),
        }
    }

    /// Deals with every `$setElementOrder/<field>` of a patch, together with the list that it orders.
    pub(super) fn ordered_lists(
        &self,
        original: &mut Members,
        patch: &mut Members,
        path: &str,
    ) -> Result<(), PatchError> {
        let directives: Vec<String> =
            patch.keys().filter(|key| key.starts_with(SET_ORDER)).cloned().collect();
        for directive in directives {
            let Some(order) = patch.remove(&directive) else { continue };
            let field = directive.trim_start_matches(SET_ORDER);
            let rule = match self.keys.rule(&joined(path, field)) {
                // A list that is replaced takes the order of its replacement.
                None | Some(MergeRule::Replace) => continue,
                Some(rule) => rule,
            };
            let order = as_list(order)?;
            let old = original.get(field).cloned().map(as_list).transpose()?;
            let change = patch.remove(field).map(as_list).transpose()?;
            check_items(rule, &order)?;
            order::check(change.as_deref().unwrap_or_default(), &order, rule)?;
            let merged = match (old.clone(), change) {
                (None, None) => continue,
                (Some(old), None) => old,
                (None, Some(change)) => clean::items(change),
                (Some(old), Some(change)) => self.list(old, change, &joined(path, field))?,
            };
            check_items(rule, &merged)?;
            let sorted = order::arrange(merged, &order, &old.unwrap_or_default(), rule);
            original.insert(field.to_owned(), Value::Array(sorted));
        }
        Ok(())
    }

    fn merge_by(
        &self,
        key: &'static str,
        mut original: Vec<Value>,
        change: Vec<Value>,
        path: &str,
    ) -> Result<Vec<Value>, PatchError> {
        let rule = MergeRule::Merge(key);
        check_items(rule, &original)?;
        check_items_or_directives(key, &change)?;
        let Change { replace, deleted, items } = Change::read(change)?;
        if replace {
            return Ok(clean::items(items));
        }
        let deleted = Positions::of(&deleted, rule);
        original.retain(|old| deleted.find(old).is_none());
        let mut merged = original.clone();
        let mut known = Positions::of(&original, rule);
        for item in &items {
            let known_as = known.find(item).and_then(|at| merged.get_mut(at));
            if let (Some(Value::Object(old)), Value::Object(item)) = (known_as, item) {
                self.map(old, item.clone(), path)?;
            } else {
                known.add(item, merged.len());
                merged.extend(cleaned(item.clone()));
            }
        }
        Ok(order::arrange(merged, &items, &original, rule))
    }
}

/// A change of a list of objects, its directives sorted out.
#[derive(Default)]
struct Change {
    replace: bool,
    deleted: Vec<Value>,
    items: Vec<Value>,
}

impl Change {
    fn read(change: Vec<Value>) -> Result<Self, PatchError> {
        let mut read = Self::default();
        for mut item in change {
            let directive = match &mut item {
                Value::Object(members) => Directive::take(members)?,
                _ => None,
            };
            match directive {
                None => read.items.push(item),
                Some(Directive::Replace) => read.replace = true,
                Some(Directive::Delete) => read.deleted.push(item),
            }
        }
        Ok(read)
    }
}

/// Union of two sets; what the patch names comes in its order.
fn merge_plain(original: &[Value], change: Vec<Value>) -> Result<Vec<Value>, PatchError> {
    check_items(MergeRule::MergePrimitive, original)?;
    check_items(MergeRule::MergePrimitive, &change)?;
    let mut seen = HashSet::new();
    let both = original.iter().chain(&change);
    let merged = both.filter(|item| seen.insert(*item)).cloned().collect();
    Ok(order::arrange(merged, &change, original, MergeRule::MergePrimitive))
}

fn as_list(value: Value) -> Result<Vec<Value>, PatchError> {
    match value {
        Value::Array(items) => Ok(items),
        _ => Err(refused("invalid patch format of setElementOrder list")),
    }
}

/// Every item must be what the rule compares: objects with the key, or plain values.
fn check_items(rule: MergeRule, items: &[Value]) -> Result<(), PatchError> {
    items.iter().try_for_each(|item| match (rule, item) {
        (_, Value::Array(_)) => Err(refused("lists of lists are not supported")),
        (MergeRule::Merge(key), Value::Object(members)) if members.contains_key(key) => Ok(()),
        (MergeRule::Merge(key), Value::Object(_)) => {
            Err(refused(format!("map: {item} does not contain declared merge key: {key}")))
        }
        (MergeRule::Merge(_), _) | (MergeRule::MergePrimitive, Value::Object(_)) => {
            Err(refused("list element types are not identical"))
        }
        (MergeRule::MergePrimitive | MergeRule::Replace, _) => Ok(()),
    })
}

/// As [`check_items`], but `{$patch: replace}` speaks about the whole list and names no item.
fn check_items_or_directives(key: &'static str, items: &[Value]) -> Result<(), PatchError> {
    items
        .iter()
        .filter(|item| item.get(super::PATCH).and_then(Value::as_str) != Some("replace"))
        .try_for_each(|item| check_items(MergeRule::Merge(key), std::slice::from_ref(item)))
}
