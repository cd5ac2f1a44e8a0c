//! Which objects a reader asks for, and what it gets.

use std::{collections::BTreeMap, sync::Arc};

use crate::{Entry, Event, key::Place};

/// A part of the objects of a resource, in list order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Range<'a> {
    /// Only this namespace.
    pub namespace: Option<&'a str>,
    /// Only what comes after this namespace and name.
    pub after: Option<(&'a str, &'a str)>,
    /// At most this many.
    pub limit: Option<usize>,
    /// Only objects with this label; answered from an index.
    pub label: Option<(&'a str, &'a str)>,
}

/// Objects at a revision.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The revision that the objects were read at.
    pub revision: u64,
    /// The objects, ordered as `namespace/name`.
    pub entries: Vec<Arc<Entry>>,
    /// How many more there are behind the limit.
    pub remaining: usize,
}

impl Range<'_> {
    /// The place that everything in the range comes after.
    pub(crate) fn start(&self) -> Place {
        let first = Place::new(self.namespace.unwrap_or_default(), "");
        let after = self.after.map(|(namespace, name)| Place::new(namespace, name));
        after.filter(|after| *after > first).unwrap_or(first)
    }

    pub(crate) fn has_label(&self, entry: &Entry) -> bool {
        self.label.is_none_or(|(label, value)| entry.label(label) == Some(value))
    }

    fn contains(&self, entry: &Entry) -> bool {
        self.namespace.is_none_or(|namespace| *namespace == *entry.key.namespace)
            && entry.key.place() > self.start()
            && self.has_label(entry)
    }
}

/// What must be undone to get from a later state back to an earlier one: per object its state then.
#[derive(Default)]
pub(crate) struct Undo {
    states: BTreeMap<Place, Option<Arc<Entry>>>,
}

impl Undo {
    /// Takes in the next events after the wanted revision; the first of each object decides.
    pub(crate) fn add(&mut self, events: &[Arc<Event>]) {
        for event in events {
            self.states.entry(event.key.place()).or_insert_with(|| event.previous.clone());
        }
    }

    /// What was in `range` before the events, given what is in it after them.
    pub(crate) fn apply(
        mut self,
        range: &Range<'_>,
        later: Vec<Arc<Entry>>,
        revision: u64,
    ) -> Listing {
        for entry in later {
            self.states.entry(entry.key.place()).or_insert(Some(entry));
        }
        let earlier = self.states.into_values().flatten();
        let mut found = earlier.filter(|entry| range.contains(entry));
        let entries = found.by_ref().take(range.limit.unwrap_or(usize::MAX)).collect();
        Listing { revision, entries, remaining: found.count() }
    }
}
