//! Uniqueness in lists of type `set` and `map`.

use std::collections::HashMap;

use emb_meta::FieldError;
use serde_json::{Map, Value};

use crate::{
    correlate,
    node::{ListKind, Node},
    place::Place,
};

/// Reports duplicates, unless the old object had some already.
pub(super) fn check(root: &Node, new: &Value, old: Option<&Value>, errors: &mut Vec<FieldError>) {
    let mut found = Vec::new();
    visit(root, new, &Place::Root, &mut found);
    if found.is_empty() {
        return;
    }
    let mut before = Vec::new();
    if let Some(old) = old {
        visit(root, old, &Place::Root, &mut before);
    }
    if before.is_empty() {
        errors.append(&mut found);
    }
}

fn visit(node: &Node, value: &Value, place: &Place<'_>, errors: &mut Vec<FieldError>) {
    if !node.below.sets_or_maps {
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if let Some(schema) = node.properties.get(name.as_str()) {
                    visit(schema, member, &Place::Field(place, name), errors);
                } else if let Some(schema) = node.member(name) {
                    visit(schema, member, &Place::Key(place, name), errors);
                }
            }
        }
        Value::Array(items) => {
            match &node.list {
                ListKind::Atomic => {}
                ListKind::Set => check_set(items, place, errors),
                ListKind::Map(keys) => check_map(keys, items, place, errors),
            }
            if let Some(schema) = &node.items {
                for (index, item) in items.iter().enumerate() {
                    visit(schema, item, &Place::Index(place, index), errors);
                }
            }
        }
        _ => {}
    }
}

fn check_set(items: &[Value], place: &Place<'_>, errors: &mut Vec<FieldError>) {
    let identities = items.iter().map(Value::to_string);
    for (index, item) in repeated(items, identities) {
        errors.push(FieldError::duplicate(Place::Index(place, index).to_string(), item));
    }
}

fn check_map(keys: &[Box<str>], items: &[Value], place: &Place<'_>, errors: &mut Vec<FieldError>) {
    if let Some((index, item)) =
        items.iter().enumerate().find(|(_, item)| !item.is_object() && !item.is_null())
    {
        let detail = "must be an object for an array of list-type map";
        errors.push(FieldError::invalid(Place::Index(place, index).to_string(), item, detail));
        return;
    }
    let identities = items.iter().map(|item| correlate::identity(keys, item));
    for (index, item) in repeated(items, identities) {
        let members: Map<String, Value> = keys
            .iter()
            .filter_map(|key| Some((key.to_string(), item.get(key.as_ref())?.clone())))
            .collect();
        let shown = Value::Object(members);
        errors.push(FieldError::duplicate(Place::Index(place, index).to_string(), &shown));
    }
}

/// The second item of each identity; further repetitions say nothing new.
fn repeated(
    items: &[Value],
    identities: impl Iterator<Item = String>,
) -> impl Iterator<Item = (usize, &Value)> {
    let mut seen: HashMap<String, usize> = HashMap::with_capacity(items.len());
    items.iter().zip(identities).enumerate().filter_map(move |(index, (item, identity))| {
        let times = seen.entry(identity).or_default();
        *times += 1;
        (*times == 2).then_some((index, item))
    })
}
