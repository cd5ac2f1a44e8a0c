//! The order of a merged list. What the patch names comes in the patch's order (or that of `$setElementOrder`), what
//! only the object has keeps its own order, and the two are interleaved as they stood in the object, if they did.

use std::{collections::VecDeque, mem};

use serde_json::Value;

use super::{MergeRule, PATCH, PatchError, refused};

/// Sorts `merged` by the order the patch asks for and the one the object had.
pub(super) fn arrange(
    merged: Vec<Value>,
    asked: &[Value],
    had: &[Value],
    rule: MergeRule,
) -> Vec<Value> {
    let position = |list: &[Value], item: &Value| {
        list.iter().position(|other| identity(other, rule) == identity(item, rule))
    };
    let (mut named, mut own): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|item| position(asked, item).is_some());
    named.sort_by_key(|item| position(asked, item));
    own.sort_by_key(|item| position(had, item));

    let mut own = VecDeque::from(own);
    let mut arranged = Vec::with_capacity(named.len() + own.len());
    for item in named {
        let place = position(had, &item);
        let stood_before = |other: &Value| {
            position(had, other).zip(place).is_some_and(|(other, place)| other < place)
        };
        while let Some(earlier) = own.pop_front_if(|other| stood_before(other)) {
            arranged.push(earlier);
        }
        arranged.push(item);
    }
    arranged.extend(mem::take(&mut own));
    arranged
}

/// Every item that the patch sets must stand in the `$setElementOrder` list, in the same order.
pub(super) fn check(change: &[Value], order: &[Value], rule: MergeRule) -> Result<(), PatchError> {
    if change.is_empty() || order.is_empty() {
        return Ok(());
    }
    let mut rest = order.iter();
    let set = change.iter().filter(|item| item.get(PATCH).is_none());
    for item in set {
        if !rest.any(|other| identity(other, rule) == identity(item, rule)) {
            let (change, order) = (Value::from(change), Value::from(order));
            return Err(refused(format!(
                "The order in patch list:\n{change}\n doesn't match $setElementOrder list:\n{order}\n"
            )));
        }
    }
    Ok(())
}

/// What makes two items the same.
fn identity(item: &Value, rule: MergeRule) -> Option<&Value> {
    match rule {
        MergeRule::Merge(key) => item.get(key),
        MergeRule::MergePrimitive | MergeRule::Replace => Some(item),
    }
}
