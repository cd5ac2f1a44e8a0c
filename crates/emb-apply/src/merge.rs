//! The merge of an applied object into the stored one.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use serde_json::{Map, Value};

use crate::types::{Form, ListType, MapType, Type};

/// `live` with everything that `applied` says. What `applied` leaves out stays.
pub(crate) fn merge(kind: &Type, live: Option<Value>, applied: &Value) -> Value {
    // Null says nothing about what the value is.
    let shape = if applied.is_null() { live.as_ref().unwrap_or(applied) } else { applied };
    match kind.form(shape) {
        Form::Leaf => applied.clone(),
        Form::Map(map) => merge_maps(map, live, applied),
        Form::List(list) => merge_lists(list, live, applied),
    }
}

fn merge_maps(map: &MapType, live: Option<Value>, applied: &Value) -> Value {
    let mut merged = match live {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let applied_members = applied.as_object().filter(|members| !members.is_empty());
    for (name, value) in applied_members.into_iter().flatten() {
        let value = merge(map.member(name), merged.remove(name), value);
        merged.insert(name.clone(), value);
    }
    // Both are empty: whether as null or as an object is what was applied.
    if merged.is_empty() { applied.clone() } else { Value::Object(merged) }
}

fn merge_lists(list: &ListType, live: Option<Value>, applied: &Value) -> Value {
    let live = match live {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    let applied_items = applied.as_array().map_or(&[][..], Vec::as_slice);
    if live.is_empty() && applied_items.is_empty() {
        return applied.clone();
    }
    match (list.elements(&live), list.elements(applied_items)) {
        (Some(live_elements), Some(elements)) => {
            let live = live_elements.into_iter().zip(live).collect();
            let applied: Vec<_> = elements.iter().map(String::as_str).zip(applied_items).collect();
            Value::Array(ListMerge::new(live, &applied).merge(&list.items, applied))
        }
        // Items that cannot be told apart cannot be merged.
        _ => applied.clone(),
    }
}

/// The merge of two lists whose items have names.
struct ListMerge<'a> {
    live: Vec<(String, Value)>,
    /// Where each live item stands first, and how often it stands in the list.
    places: BTreeMap<String, (usize, usize)>,
    applied: BTreeSet<&'a str>,
    /// The live items before this one are in the result, or wait for their turn among the applied ones.
    cursor: usize,
    merged: Vec<Value>,
}

impl<'a> ListMerge<'a> {
    fn new(live: Vec<(String, Value)>, applied: &[(&'a str, &Value)]) -> Self {
        let mut places = BTreeMap::new();
        for (at, (element, _)) in live.iter().enumerate() {
            places.entry(element.clone()).or_insert((at, 0)).1 += 1;
        }
        let merged = Vec::with_capacity(live.len() + applied.len());
        let applied = applied.iter().map(|(element, _)| *element).collect();
        Self { live, places, applied, cursor: 0, merged }
    }

    /// Applied items stand in the order in which they were applied. Live items that were not applied stay before the
    /// shared item that they stood before, unless its place was changed; new items come after them.
    fn merge(mut self, kind: &Type, applied: Vec<(&str, &Value)>) -> Vec<Value> {
        let mut new = Vec::new();
        for (element, value) in applied {
            match self.places.get(element).copied() {
                None => new.push(value.clone()),
                Some((at, count)) => {
                    let live = self.take_shared(at);
                    self.merged.append(&mut new);
                    // One that stands twice is replaced: which of the two is meant cannot be told.
                    self.merged.push(merge(kind, live.filter(|_| count == 1), value));
                }
            }
        }
        self.take_unshared(self.live.len());
        self.merged.append(&mut new);
        self.merged
    }

    /// The shared item at a place, after all that stays before it.
    fn take_shared(&mut self, at: usize) -> Option<Value> {
        // One that the cursor has passed was moved to the back: the rest of the live list comes before it.
        self.take_unshared(if at < self.cursor { self.live.len() } else { at });
        self.live.get_mut(at).map(|(_, value)| mem::take(value))
    }

    fn take_unshared(&mut self, end: usize) {
        let passed = self.live.get_mut(self.cursor..end).unwrap_or_default();
        let unshared = passed.iter_mut().filter(|(element, _)| !self.applied.contains(&**element));
        self.merged.extend(unshared.map(|(_, value)| mem::take(value)));
        self.cursor = end;
    }
}
