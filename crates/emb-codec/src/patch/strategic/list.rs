//! Merging one list into another.

use serde_json::Value;

use super::{
    Directive, Members, Merger, PatchError, SET_ORDER,
    clean::{self, cleaned},
    joined,
    keys::MergeRule,
    order, refused,
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
            Some(MergeRule::Replace) | None => Ok(clean::items(change)),
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
        let mut replace = false;
        let mut changes = Vec::with_capacity(change.len());
        for item in change {
            let Value::Object(mut item) = item else { continue };
            match Directive::take(&mut item)? {
                None | Some(Directive::Merge) => changes.push(item),
                Some(Directive::Replace) => replace = true,
                Some(Directive::Delete) => original.retain(|old| old.get(key) != item.get(key)),
            }
        }
        if replace {
            return Ok(changes
                .into_iter()
                .map(|item| Value::Object(clean::members(item)))
                .collect());
        }
        let order: Vec<Value> = changes.iter().cloned().map(Value::Object).collect();
        let mut merged = original.clone();
        for item in changes {
            let found = merged.iter_mut().find(|old| old.get(key) == item.get(key));
            match found {
                Some(Value::Object(old)) => self.map(old, item, path)?,
                _ => merged.extend(cleaned(Value::Object(item))),
            }
        }
        Ok(order::arrange(merged, &order, &original, rule))
    }
}

/// Union of two sets; what the patch names comes in its order.
fn merge_plain(original: &[Value], change: Vec<Value>) -> Result<Vec<Value>, PatchError> {
    check_items(MergeRule::MergePrimitive, original)?;
    check_items(MergeRule::MergePrimitive, &change)?;
    let mut merged: Vec<Value> = Vec::with_capacity(original.len() + change.len());
    for item in original.iter().chain(&change) {
        if !merged.contains(item) {
            merged.push(item.clone());
        }
    }
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
