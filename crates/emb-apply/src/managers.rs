//! The managers of one object: `metadata.managedFields`.

use std::{collections::BTreeMap, mem};

use serde_json::Value;

use crate::{
    changes::Changes,
    entry::{Entry, Identity, Operation},
    set::FieldSet,
    writer::Writer,
};

/// How many managers may be listed for their updates; the oldest beyond are thrown together.
const MAX_UPDATERS: usize = 10;
/// Who owns what the oldest updaters wrote.
const ANCIENT: &str = "ancient-changes";

/// The managers of one object. No two entries have the same owner.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Managers(pub(crate) Vec<Entry>);

impl Managers {
    /// Reads what this server wrote. An entry that cannot be read makes the object one that nobody manages.
    pub(crate) fn stored(managed_fields: Value) -> Self {
        Self::read(managed_fields, Entry::stored).unwrap_or_default()
    }

    /// Reads what a client sent.
    pub(crate) fn received(managed_fields: Value) -> Option<Self> {
        Self::read(managed_fields, Entry::received)
    }

    fn read(managed_fields: Value, entry: impl Fn(Value) -> Option<Entry>) -> Option<Self> {
        let Value::Array(entries) = managed_fields else { return None };
        let mut managers = Self(Vec::with_capacity(entries.len()));
        for value in entries {
            let entry = entry(value)?;
            managers.take(&entry.identity);
            managers.0.push(entry);
        }
        Some(managers)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The wire form; `None` when nobody manages anything. Appliers come first, then who wrote earlier.
    pub(crate) fn encode(mut self) -> Option<Value> {
        self.0.retain(|entry| !entry.fields.is_empty());
        self.0.sort_by(|left, right| order(left).cmp(&order(right)));
        (!self.0.is_empty()).then(|| self.0.into_iter().map(Entry::encode).collect())
    }

    /// Takes the entry of an owner out.
    pub(crate) fn take(&mut self, owner: &Identity) -> Option<Entry> {
        let at = self.0.iter().position(|entry| entry.identity.is_same_owner(owner))?;
        Some(self.0.remove(at))
    }

    /// Takes from every manager what has changed hands or is gone.
    pub(crate) fn release(&mut self, changes: &Changes) {
        for entry in &mut self.0 {
            entry.fields.subtract(&changes.removed);
            entry.fields.subtract(&changes.modified);
            entry.fields.subtract(&changes.added);
        }
        self.0.retain(|entry| !entry.fields.is_empty());
    }

    /// Records an update by `manager`: it owns what it added or changed. Removing alone makes nobody an owner.
    pub(crate) fn record_update(&mut self, manager: &str, changes: Changes, writer: &Writer<'_>) {
        self.release(&changes);
        let mut fields = changes.added;
        fields.union(changes.modified);
        if !fields.is_empty() {
            let identity = Identity::new(manager, Operation::Update, writer);
            if let Some(earlier) = self.take(&identity) {
                fields.union(earlier.fields);
            }
            let time = writer.time.to_rfc3339_seconds();
            self.0.push(Entry { identity, time, fields });
        }
        self.cap();
    }

    /// Everything that anybody owns.
    pub(crate) fn union(&self) -> FieldSet {
        self.0.iter().fold(FieldSet::default(), |mut all, entry| {
            all.union(entry.fields.clone());
            all
        })
    }

    /// Throws the oldest updaters of a version together until few enough are left.
    fn cap(&mut self) {
        let updaters = self.0.iter().filter(|entry| entry.identity.is_update()).count();
        let mut excess = updaters.saturating_sub(MAX_UPDATERS);
        if excess == 0 {
            return;
        }
        self.0.sort_by(|left, right| age(left).cmp(&age(right)));
        let mut ancients: BTreeMap<String, Entry> = BTreeMap::new();
        let mut kept = Vec::with_capacity(self.0.len());
        for entry in mem::take(&mut self.0) {
            match ancients.get_mut(&entry.identity.api_version) {
                Some(ancient) if excess > 0 && entry.identity.is_update() => {
                    swallow(ancient, entry);
                    excess -= 1;
                }
                None if excess > 0 && entry.identity.is_update() => {
                    ancients.insert(entry.identity.api_version.clone(), entry);
                }
                _ => kept.push(entry),
            }
        }
        kept.extend(ancients.into_values());
        self.0 = kept;
    }
}

fn order(entry: &Entry) -> (Operation, &str, &Identity) {
    (entry.identity.operation, &entry.time, &entry.identity)
}

/// Who has been swallowed before comes first, so that there is one such entry for each version.
fn age(entry: &Entry) -> (bool, &str, &Identity) {
    (!is_ancient(&entry.identity), &entry.time, &entry.identity)
}

fn is_ancient(identity: &Identity) -> bool {
    identity.manager == ANCIENT && identity.is_update() && identity.subresource.is_empty()
}

fn swallow(ancient: &mut Entry, entry: Entry) {
    ANCIENT.clone_into(&mut ancient.identity.manager);
    ancient.identity.subresource.clear();
    ancient.fields.union(entry.fields);
    ancient.time = entry.time;
}
