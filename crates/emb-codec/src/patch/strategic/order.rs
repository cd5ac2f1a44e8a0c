//! The order of a merged list. What the patch names comes in the patch's order (or that of `$setElementOrder`), what
//! only the object has keeps its own order, and the two are interleaved as they stood in the object, if they did.

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use super::{MergeRule, PATCH, PatchError, refused};

/// Sorts `merged` by the order the patch asks for and the one the object had.
pub(super) fn arrange(
    merged: Vec<Value>,
    asked: &[Value],
    had: &[Value],
    rule: MergeRule,
) -> Vec<Value> {
    let (asked, had) = (Positions::of(asked, rule), Positions::of(had, rule));
    let (mut named, mut own): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|item| asked.find(item).is_some());
    named.sort_by_key(|item| asked.find(item));
    own.sort_by_key(|item| had.find(item));

    let mut own = VecDeque::from(own);
    let mut arranged = Vec::with_capacity(named.len() + own.len());
    for item in named {
        let place = had.find(&item);
        let stood_before =
            |other: &Value| had.find(other).zip(place).is_some_and(|(other, place)| other < place);
        while let Some(earlier) = own.pop_front_if(|other| stood_before(other)) {
            arranged.push(earlier);
        }
        arranged.push(item);
    }
    arranged.extend(own);
    arranged
}

/// Where each item of a list stands: the lists come from users and may be long.
pub(super) struct Positions<'v> {
    rule: MergeRule,
    positions: HashMap<&'v Value, usize>,
}

impl<'v> Positions<'v> {
    /// Of several equal items the first one counts.
    pub(super) fn of(list: &'v [Value], rule: MergeRule) -> Self {
        let mut known = Self { rule, positions: HashMap::with_capacity(list.len()) };
        list.iter().enumerate().for_each(|(index, item)| known.add(item, index));
        known
    }

    /// Notes one more item.
    pub(super) fn add(&mut self, item: &'v Value, index: usize) {
        if let Some(identity) = identity(item, self.rule) {
            self.positions.entry(identity).or_insert(index);
        }
    }

    /// Where the item stands that `item` would merge with.
    pub(super) fn find(&self, item: &Value) -> Option<usize> {
        self.positions.get(identity(item, self.rule)?).copied()
    }
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
