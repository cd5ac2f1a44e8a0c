//! What differs between two states of an object, as sets of fields.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::{
    element,
    set::FieldSet,
    types::{Form, ListType, MapType, Type},
};

/// The fields in which a new state differs from an old one.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Changes {
    pub(crate) added: FieldSet,
    pub(crate) modified: FieldSet,
    pub(crate) removed: FieldSet,
}

/// What became of one value as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Same,
    Added,
    Modified,
    Removed,
}

impl Changes {
    /// Compares two objects. Unchanged parts build nothing.
    pub(crate) fn between(kind: &Type, old: &Value, new: &Value) -> Self {
        compare(kind, Some(old), Some(new)).1
    }

    /// The same without what nobody manages and what the endpoint does not write.
    pub(crate) fn tracked(kind: &Type, old: &Value, new: &Value, ignored: &[&str]) -> Self {
        let mut changes = Self::between(kind, old, new);
        for set in [&mut changes.added, &mut changes.modified, &mut changes.removed] {
            set.strip();
            set.ignore(ignored);
        }
        changes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }

    fn attach(&mut self, element: &str, fate: Fate, below: Self) {
        if fate == Fate::Same && below.is_empty() {
            return;
        }
        self.added.attach(element.to_owned(), fate == Fate::Added, below.added);
        self.modified.attach(element.to_owned(), fate == Fate::Modified, below.modified);
        self.removed.attach(element.to_owned(), fate == Fate::Removed, below.removed);
    }

    fn union(&mut self, other: Self) {
        self.added.union(other.added);
        self.modified.union(other.modified);
        self.removed.union(other.removed);
    }
}

/// What became of a value, and the changes below it.
fn compare(kind: &Type, old: Option<&Value>, new: Option<&Value>) -> (Fate, Changes) {
    // Most of an object is what it was, and finding that out needs no types. Where nothing is declared, objects may
    // nest as deep as they like, and looking at each level as a whole would add up.
    if !matches!(kind, Type::Deduced) && old == new {
        return (Fate::Same, Changes::default());
    }
    match (old.map(|old| kind.form(old)), new.map(|new| kind.form(new))) {
        (Some(Form::Map(map)), Some(Form::Map(_)) | None) | (None, Some(Form::Map(map))) => {
            compare_maps(map, old, new)
        }
        (Some(Form::List(list)), Some(Form::List(_)) | None) | (None, Some(Form::List(list))) => {
            compare_lists(list, old, new)
        }
        (Some(Form::Leaf) | None, Some(Form::Leaf) | None) => (leaf(old, new), Changes::default()),
        // The value has become something else: all that was below is gone, all that is below is new.
        (Some(_), Some(_)) => {
            let (_, mut changes) = compare(kind, old, None);
            changes.union(compare(kind, None, new).1);
            (Fate::Modified, changes)
        }
    }
}

fn leaf(old: Option<&Value>, new: Option<&Value>) -> Fate {
    match (old, new) {
        (None, Some(_)) => Fate::Added,
        (Some(_), None) => Fate::Removed,
        (old, new) if old == new => Fate::Same,
        _ => Fate::Modified,
    }
}

/// The fate of a value that is walked: it changes by its parts, and as a whole only by coming and going.
fn whole(old: Option<&Value>, new: Option<&Value>) -> Fate {
    match (old, new) {
        (None, Some(_)) => Fate::Added,
        (Some(_), None) => Fate::Removed,
        _ => Fate::Same,
    }
}

fn compare_maps(map: &MapType, old: Option<&Value>, new: Option<&Value>) -> (Fate, Changes) {
    let nothing = Map::new();
    let old_members = old.and_then(Value::as_object).unwrap_or(&nothing);
    let new_members = new.and_then(Value::as_object).unwrap_or(&nothing);
    if old_members.is_empty() && new_members.is_empty() {
        // Null, nothing and an empty object are told apart.
        return (leaf(old, new), Changes::default());
    }
    let mut changes = Changes::default();
    for (name, new) in new_members {
        let (fate, below) = compare(map.member(name), old_members.get(name), Some(new));
        attach_member(&mut changes, name, fate, below);
    }
    for (name, old) in old_members.iter().filter(|(name, _)| !new_members.contains_key(*name)) {
        let (fate, below) = compare(map.member(name), Some(old), None);
        attach_member(&mut changes, name, fate, below);
    }
    (whole(old, new), changes)
}

/// Names an element only for what has changed: most members have not.
fn attach_member(changes: &mut Changes, name: &str, fate: Fate, below: Changes) {
    if fate != Fate::Same || !below.is_empty() {
        changes.attach(&element::field(name), fate, below);
    }
}

fn compare_lists(list: &ListType, old: Option<&Value>, new: Option<&Value>) -> (Fate, Changes) {
    let (old_items, new_items) = (items(old), items(new));
    if old_items.is_empty() && new_items.is_empty() {
        return (leaf(old, new), Changes::default());
    }
    let (Some(old_index), Some(new_index)) = (list.index(old_items), list.index(new_items)) else {
        // Items that cannot be told apart make the list one value.
        return (leaf(old, new), Changes::default());
    };
    (whole(old, new), compare_items(&list.items, &old_index, &new_index))
}

fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn compare_items(
    kind: &Type,
    old: &BTreeMap<String, Vec<&Value>>,
    new: &BTreeMap<String, Vec<&Value>>,
) -> Changes {
    let mut changes = Changes::default();
    let elements: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for element in elements {
        let old = old.get(element).map(Vec::as_slice).unwrap_or_default();
        let new = new.get(element).map(Vec::as_slice).unwrap_or_default();
        let (fate, below) = compare_standing(kind, old, new);
        changes.attach(element, fate, below);
    }
    changes
}

/// Compares the items of one name. One that stands several times is one value; what it becomes or was is compared with
/// nothing.
fn compare_standing(kind: &Type, old: &[&Value], new: &[&Value]) -> (Fate, Changes) {
    match (old, new) {
        ([], []) => (Fate::Same, Changes::default()),
        ([old], [new]) => compare(kind, Some(old), Some(new)),
        ([old], []) => compare(kind, Some(old), None),
        (_, [new]) => compare(kind, None, Some(new)),
        (_, []) => (Fate::Removed, Changes::default()),
        ([], _) => (Fate::Added, Changes::default()),
        ([old], _) => (Fate::Added, compare(kind, Some(old), None).1),
        (old, new) if old == new => (Fate::Same, Changes::default()),
        _ => (Fate::Modified, Changes::default()),
    }
}
