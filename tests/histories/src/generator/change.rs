//! Random contents of objects.

use serde_json::{Value, json};

use super::{Generator, set};
use crate::{
    kinds::{Kind, metadata_fields},
    operation::Key,
};

/// How likely it is, in a hundred, that a change has something in it that a server may refuse.
const BAD: usize = 12;

/// A change of an object: a part of one, as a merge patch has it.
pub(super) struct Change {
    pub(super) value: Value,
    /// What becomes of finalizers.
    pub(super) finalizers: Option<bool>,
    /// Whether it may be refused.
    pub(super) bad: bool,
}

impl Generator {
    /// One to four fields with new values.
    pub(super) fn change(&self, kind: &Kind, prefix: &str) -> Change {
        let bad = self.dice.percent(BAD);
        let bad_one = if bad { self.dice.below(2) } else { usize::MAX };
        let mut change = Change { value: json!({}), finalizers: None, bad };
        for number in 0..=self.dice.below(4) {
            if let Some((pointer, value)) = self.field(kind, prefix, number == bad_one) {
                if pointer == "/metadata/finalizers" {
                    change.finalizers = Some(value.as_array().is_some_and(|all| !all.is_empty()));
                }
                set(&mut change.value, &pointer, value);
            }
        }
        change
    }

    /// A field below `prefix` and a value for it.
    pub(super) fn field(&self, kind: &Kind, prefix: &str, bad: bool) -> Option<(String, Value)> {
        let of_metadata = prefix.is_empty() && self.dice.percent(35);
        let table = if of_metadata { metadata_fields() } else { (kind.fields)() };
        let which = if bad { "bad" } else { "good" };
        let fields: Vec<(&String, &Vec<Value>)> = table
            .as_object()?
            .iter()
            .filter(|(pointer, _)| pointer.starts_with(prefix))
            .filter_map(|(pointer, values)| Some((pointer, values.get(which)?.as_array()?)))
            .filter(|(_, values)| !values.is_empty())
            .collect();
        let (pointer, values) = self.dice.pick(&fields)?;
        Some((pointer.clone(), self.dice.pick(values)?))
    }

    /// An owner reference to an object of this history, if it is about owners.
    pub(super) fn owner_references(&self, dependent: &Key) -> Option<Value> {
        if !self.owners || !self.dice.percent(60) {
            return None;
        }
        let reachable = |owner: &Key| {
            owner != dependent && (owner.namespace == dependent.namespace || owner.namespace == '-')
        };
        let owners: Vec<Key> = self.model.there().into_iter().filter(reachable).collect();
        let references = (0..=self.dice.below(2)).filter_map(|_| {
            let owner = self.dice.pick(&owners)?;
            let kind = self.kind_of(&owner);
            let mut reference = json!({"apiVersion": kind.api_version, "kind": kind.name,
                "name": kind.object_name(&owner), "uid": format!("<uid {owner}>")});
            if self.dice.percent(50) {
                set(&mut reference, "/blockOwnerDeletion", true.into());
            }
            Some(reference)
        });
        let mut references: Vec<Value> = references.collect();
        references.dedup();
        Some(references.into())
    }
}
