//! One document over another.

use std::collections::HashMap;

use super::layout::{Collection, Entry, Item, Notes, Shape};
use crate::EditError;

/// Why two documents were not merged.
#[derive(Debug)]
pub(super) enum Obstacle {
    /// They cannot be.
    Error(EditError),
    /// An alias of the lower one has to be written out first.
    Alias,
}

impl From<EditError> for Obstacle {
    fn from(error: EditError) -> Self {
        Self::Error(error)
    }
}

/// Puts `over` on `base`: mappings merge, null removes, anything else replaces its like.
pub(super) fn combine(base: Item, over: Item, place: &str) -> Result<Option<Item>, Obstacle> {
    if matches!(base.shape, Shape::Alias { .. }) {
        return Err(Obstacle::Alias);
    }
    if !base.is_null() && base.kind() != over.kind() {
        let place = if place.is_empty() { "the root".to_owned() } else { format!("{place:?}") };
        let mismatch = EditError::Mismatch { place, base: base.kind(), over: over.kind() };
        return Err(mismatch.into());
    }
    let Item { anchor, tag, shape } = base;
    let shape = match (shape, over.shape) {
        (Shape::Mapping(base), Shape::Mapping(over)) => match directive(&over).as_deref() {
            Some("delete") => return Ok(None),
            Some("replace") => Shape::Mapping(without_nulls(over)),
            _ => Shape::Mapping(mappings(base, over, place)?),
        },
        (_, Shape::Mapping(over)) => Shape::Mapping(without_nulls(over)),
        (_, other) => other,
    };
    let tag = over.tag.or(tag.filter(|_| matches!(shape, Shape::Mapping(_))));
    Ok(Some(Item { anchor, tag, shape }))
}

fn mappings(base: Collection, over: Collection, place: &str) -> Result<Collection, Obstacle> {
    let is_flow = if base.entries.is_empty() { over.is_flow } else { base.is_flow };
    let mut entries: Vec<Option<Entry>> = base.entries.into_iter().map(Some).collect();
    // A key may stand there twice; for readers the last one counts.
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, entry) in entries.iter().enumerate() {
        if let Some(key) = entry.as_ref().and_then(|entry| entry.key.as_ref()) {
            places.entry(key.text.clone()).or_default().push(index);
        }
    }
    for entry in over.entries {
        let Some(name) = entry.key.as_ref().map(|key| key.text.clone()) else { continue };
        if name == DIRECTIVE {
            continue;
        }
        if entry.value.is_null() {
            for index in places.remove(&name).unwrap_or_default() {
                entries.get_mut(index).map(Option::take);
            }
            continue;
        }
        let last = places.get(&name).and_then(|indexes| indexes.last());
        if let Some(slot) = last.and_then(|index| entries.get_mut(*index)) {
            *slot = replaced(slot.take(), entry, &deeper(place, &name))?;
        } else {
            places.entry(name).or_default().push(entries.len());
            entries.push(added(entry));
        }
    }
    let entries: Vec<Entry> = entries.into_iter().flatten().collect();
    let fits = |entry: &Entry| !entry.notes.has_comment() && entry.value.fits_in_flow();
    Ok(Collection { is_flow: is_flow && entries.iter().all(fits), entries })
}

fn is_named(entry: &Entry, name: &str) -> bool {
    entry.key.as_ref().is_some_and(|key| key.text == name)
}

/// The entry of the lower document with the value that comes over it.
fn replaced(base: Option<Entry>, over: Entry, place: &str) -> Result<Option<Entry>, Obstacle> {
    let Some(Entry { notes, key, value }) = base else { return Ok(Some(over)) };
    let value = combine(value, over.value, place)?;
    Ok(value.map(|value| Entry { notes: merged_notes(notes, over.notes), key, value }))
}

/// The comments of the upper document count where it has some.
fn merged_notes(base: Notes, over: Notes) -> Notes {
    let first = |over: Vec<String>, base: Vec<String>| if over.is_empty() { base } else { over };
    Notes {
        is_set_off: base.is_set_off,
        above: first(over.above, base.above),
        right: over.right.or(base.right),
        below: first(over.below, base.below),
    }
}

/// An entry that only the upper document has; nulls in it have nothing to remove.
fn added(mut entry: Entry) -> Option<Entry> {
    if let Shape::Mapping(collection) = entry.value.shape {
        if directive(&collection).as_deref() == Some("delete") {
            return None;
        }
        entry.value.shape = Shape::Mapping(without_nulls(collection));
    }
    Some(entry)
}

fn without_nulls(collection: Collection) -> Collection {
    let keeps = |entry: &Entry| !entry.value.is_null() && !is_named(entry, DIRECTIVE);
    let entries = collection.entries.into_iter().filter(keeps).filter_map(added).collect();
    Collection { entries, is_flow: collection.is_flow }
}

/// The key under which a mapping says what to do with the one below.
const DIRECTIVE: &str = "$patch";

fn directive(collection: &Collection) -> Option<String> {
    let entry = collection.entries.iter().find(|entry| is_named(entry, DIRECTIVE))?;
    match &entry.value.shape {
        Shape::Scalar { written, .. } => Some(written.trim_matches(['"', '\'']).to_owned()),
        _ => None,
    }
}

fn deeper(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}
