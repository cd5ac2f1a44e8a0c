//! The removal of what an applier has let go.

use std::mem;

use serde_json::{Map, Value};

use crate::{
    element,
    set::{FieldSet, below, is_member},
    types::{Form, ListType, MapType, Type},
};

/// Removes from `object` what its manager owned by its last apply and nobody owns any more.
///
/// A member that the type names counts as owned with anything below it, so it goes when its last part does. What others
/// own as such stays, if empty.
pub(crate) fn prune(kind: &Type, object: &mut Value, last: &FieldSet, owned: &FieldSet) {
    walk(kind, object, &last.0, &owned.0);
}

fn walk(kind: &Type, value: &mut Value, last: &Map<String, Value>, owned: &Map<String, Value>) {
    match (kind.form(value), value) {
        (Form::Map(map), Value::Object(members)) => prune_members(map, members, last, owned),
        (Form::List(list), Value::Array(items)) => prune_items(list, items, last, owned),
        _ => {}
    }
}

/// What one set says about one element.
#[derive(Clone, Copy)]
struct Claim<'s> {
    member: bool,
    below: Option<&'s Map<String, Value>>,
}

fn claim<'s>(set: &'s Map<String, Value>, element: &str) -> Claim<'s> {
    let branch = set.get(element);
    Claim { member: branch.is_some_and(is_member), below: branch.and_then(below) }
}

fn prune_members(
    map: &MapType,
    members: &mut Map<String, Value>,
    last: &Map<String, Value>,
    owned: &Map<String, Value>,
) {
    members.retain(|name, value| {
        let element = element::field(name);
        let (last, owned) = (claim(last, &element), claim(owned, &element));
        let counts =
            |claim: Claim<'_>| claim.member || (map.declares(name) && claim.below.is_some());
        if counts(last) && !counts(owned) {
            return false;
        }
        descend(map.member(name), value, last, owned);
        true
    });
}

fn prune_items(
    list: &ListType,
    items: &mut Vec<Value>,
    last: &Map<String, Value>,
    owned: &Map<String, Value>,
) {
    let kept = mem::take(items).into_iter().filter_map(|mut item| {
        // Without an identity nobody can have owned it.
        let Ok(element) = list.element(&item) else { return Some(item) };
        let (last, owned) = (claim(last, &element), claim(owned, &element));
        if last.member && !owned.member {
            return None;
        }
        descend(&list.items, &mut item, last, owned);
        Some(item)
    });
    *items = kept.collect();
}

fn descend(kind: &Type, value: &mut Value, last: Claim<'_>, owned: Claim<'_>) {
    if let Some(last) = last.below {
        walk(kind, value, last, owned.below.unwrap_or(&Map::new()));
    }
}
