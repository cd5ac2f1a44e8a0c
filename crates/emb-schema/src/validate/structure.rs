//! Structural validation: one walk down schema and value together.

use emb_meta::FieldError;
use serde_json::{Map, Value, json};

use super::{scalar, types};
use crate::{
    correlate::MapList,
    node::{Additional, ListKind, Node},
    place::Place,
};

/// What is wrong with the structure of `new`; errors name fields below `base`.
pub(crate) fn check(root: &Node, new: &Value, old: Option<&Value>, base: &str) -> Vec<FieldError> {
    let mut walk = Walk { base, errors: Vec::new(), visited: 0 };
    // Few objects are invalid, so the old object is looked at only when the new one has errors.
    walk.node(root, new, None, &Place::Root);
    if walk.errors.is_empty() || old.is_none() {
        return walk.errors;
    }
    let mut ratcheted = Walk { base, errors: Vec::new(), visited: 0 };
    ratcheted.node(root, new, old, &Place::Root);
    ratcheted.errors
}

pub(super) struct Walk<'b> {
    base: &'b str,
    pub(super) errors: Vec<FieldError>,
    /// How many nodes were looked at: of failed alternatives, the one that went furthest tells its errors.
    pub(super) visited: usize,
}

impl Walk<'_> {
    pub(super) fn field(&self, place: &Place<'_>) -> String {
        place.under(self.base)
    }

    /// Checks a value; if it equals the old one, its errors are forgiven.
    fn node(&mut self, node: &Node, value: &Value, old: Option<&Value>, place: &Place<'_>) {
        let before = self.errors.len();
        self.value(node, value, old, place);
        if self.errors.len() > before && old == Some(value) {
            self.errors.truncate(before);
        }
    }

    pub(super) fn value(
        &mut self,
        node: &Node,
        value: &Value,
        old: Option<&Value>,
        place: &Place<'_>,
    ) {
        self.visited += 1;
        types::check(self, node, value, place);
        if !value.is_null() {
            self.alternatives(node, value, old, place);
            scalar::check(self, node, value, place);
        }
        if let Value::Array(items) = value {
            self.items(node, items, old, place);
        }
        scalar::check_choice(self, node, value, place);
        if let Value::Object(members) = value {
            self.members(node, members, old, place);
        }
    }

    fn items(&mut self, node: &Node, items: &[Value], old: Option<&Value>, place: &Place<'_>) {
        if let Some(schema) = &node.items {
            let old_items = match (&node.list, old.and_then(Value::as_array)) {
                (ListKind::Map(keys), Some(old)) => Some(MapList::new(keys, old)),
                _ => None,
            };
            for (index, item) in items.iter().enumerate() {
                let old = old_items.as_ref().and_then(|old| old.get(item));
                self.node(schema, item, old, &Place::Index(place, index));
            }
        }
        let constraints = &node.constraints;
        if let Some(least) = constraints.min_items.filter(|&least| (items.len() as u64) < least) {
            let detail = format!("{place} in body should have at least {least} items");
            self.errors.push(FieldError::invalid(self.field(place), &json!(items.len()), &detail));
        }
        if let Some(most) = constraints.max_items.filter(|&most| items.len() as u64 > most) {
            self.errors.push(too_many(self.field(place), items.len(), most));
        }
    }

    fn members(
        &mut self,
        node: &Node,
        members: &Map<String, Value>,
        old: Option<&Value>,
        place: &Place<'_>,
    ) {
        self.member_count(node, members.len(), place);
        let forbids_others = matches!(node.additional, Additional::Forbidden);
        for (name, member) in members {
            let here = Place::Field(place, name);
            match node.member(name) {
                Some(schema) => {
                    self.node(schema, member, old_member(old, name, place), &here);
                }
                None if forbids_others => {
                    let detail = format!("{here} in body is a forbidden property");
                    self.errors.push(FieldError::invalid(self.field(place), &json!(name), &detail));
                }
                None => {}
            }
        }
        for name in &node.constraints.required {
            if !members.contains_key(name.as_ref()) {
                let field = self.field(&Place::Field(place, name));
                self.errors.push(FieldError::required(field, ""));
            }
        }
    }

    fn member_count(&mut self, node: &Node, count: usize, place: &Place<'_>) {
        let constraints = &node.constraints;
        if let Some(least) = constraints.min_properties.filter(|&least| (count as u64) < least) {
            let detail = format!("{place} in body should have at least {least} properties");
            self.errors.push(FieldError::invalid(self.field(place), &json!(count), &detail));
        }
        if let Some(most) = constraints.max_properties.filter(|&most| count as u64 > most) {
            self.errors.push(too_many(self.field(place), count, most));
        }
    }
}

/// The old value of a member. The version and kind of the object itself are written by the server on read, so an old
/// value of theirs proves nothing.
fn old_member<'v>(old: Option<&'v Value>, name: &str, parent: &Place<'_>) -> Option<&'v Value> {
    if parent.is_root() && matches!(name, "apiVersion" | "kind") {
        return None;
    }
    old.and_then(|old| old.get(name))
}

fn too_many(field: String, actual: usize, most: u64) -> FieldError {
    FieldError::too_many(field, actual, usize::try_from(most).unwrap_or(usize::MAX))
}
