//! The fields that an applied object claims.

use serde_json::{Map, Value};

use crate::{
    element,
    set::FieldSet,
    types::{Form, ListType, MapType, Type},
};

/// The fields of `object`: its leaves, the items of its lists and the keys of its free maps. Members that the type names
/// are claimed only by what is in them, so that several managers can share one.
pub(crate) fn fields_of(kind: &Type, object: &Value) -> FieldSet {
    walk(kind, object).1
}

/// Whether the value is claimed itself, and what is claimed below it.
fn walk(kind: &Type, value: &Value) -> (bool, FieldSet) {
    match kind.form(value) {
        Form::Leaf => (true, FieldSet::default()),
        Form::Map(map) => {
            (false, value.as_object().map_or_else(FieldSet::default, |m| members(map, m)))
        }
        Form::List(list) => match value.as_array().map(|items| list_items(list, items)) {
            Some(None) => (true, FieldSet::default()),
            items => (false, items.flatten().unwrap_or_default()),
        },
    }
}

fn members(map: &MapType, members: &Map<String, Value>) -> FieldSet {
    let mut set = FieldSet::default();
    for (name, value) in members {
        let (leaf, below) = walk(map.member(name), value);
        let empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
        set.attach(element::field(name), leaf || empty || !map.declares(name), below);
    }
    set
}

/// `None` when the items cannot be told apart.
fn list_items(list: &ListType, items: &[Value]) -> Option<FieldSet> {
    let mut set = FieldSet::default();
    for (element, items) in list.index(items)? {
        // Of an item that stands twice only the fact can be claimed.
        let below = match items.as_slice() {
            [only] => walk(&list.items, only).1,
            _ => FieldSet::default(),
        };
        set.attach(element, true, below);
    }
    Some(set)
}
