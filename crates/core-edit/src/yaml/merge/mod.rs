//! Documents merged over each other, with their comments.
//!
//! Mappings merge key by key, lists and scalars replace, null removes, and a mapping may say `$patch: delete` or
//! `$patch: replace`. Anchors of the first document stay as long as what is merged lets them; aliases of the others
//! are written out, because their anchors may not come along.

mod combine;
mod layout;
mod notes;
mod read;
mod write;

use std::collections::HashSet;

use self::{
    combine::{Obstacle, combine},
    layout::{Item, Shape},
    read::Aliases,
};
use super::{reader, tree::Document};
use crate::EditError;

/// Merges the first documents of texts, each over what came before. Texts without a value are passed over; without
/// any other the result is empty.
pub fn merge(texts: &[impl AsRef<str>]) -> Result<String, MergeError> {
    let documents = read_all(texts)?;
    match merged(&documents, Aliases::Kept) {
        Ok(root) if root.as_ref().is_none_or(aliases_hold) => return Ok(written(root)),
        Err((index, Obstacle::Error(cause))) => return Err(MergeError { index, cause }),
        Ok(_) | Err((_, Obstacle::Alias)) => {}
    }
    match merged(&documents, Aliases::Expanded) {
        Ok(root) => Ok(written(root)),
        Err((index, Obstacle::Error(cause))) => Err(MergeError { index, cause }),
        // Nothing is left to write out.
        Err((index, Obstacle::Alias)) => Err(MergeError { index, cause: EditError::SelfReference }),
    }
}

/// Which text could not be merged, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct MergeError {
    /// The number of the text, from zero.
    pub index: usize,
    /// What is wrong with it.
    pub cause: EditError,
}

fn read_all<T: AsRef<str>>(texts: &[T]) -> Result<Vec<Document<'_>>, MergeError> {
    let read = |(index, text): (usize, _)| {
        reader::read(AsRef::as_ref(text)).map_err(|cause| MergeError { index, cause })
    };
    texts.iter().enumerate().map(read).collect()
}

fn written(root: Option<Item>) -> String {
    root.map(|root| write::write(&root)).unwrap_or_default()
}

/// What comes of all documents, or the number of the one that stands in the way.
fn merged(documents: &[Document<'_>], aliases: Aliases) -> Result<Option<Item>, (usize, Obstacle)> {
    let mut merged: Option<Item> = None;
    for (index, document) in documents.iter().enumerate() {
        let aliases = if merged.is_none() { aliases } else { Aliases::Expanded };
        let over = read::read(document, aliases).map_err(|error| (index, error.into()))?;
        merged = match (merged, over) {
            (Some(base), Some(over)) => {
                let combined = combine(base, over, "").map_err(|obstacle| (index, obstacle))?;
                Some(combined.unwrap_or_else(Item::empty_mapping))
            }
            (base, over) => over.or(base),
        };
    }
    Ok(merged)
}

/// Whether every alias still stands behind its anchor.
fn aliases_hold(root: &Item) -> bool {
    fn walk(item: &Item, anchors: &mut HashSet<usize>) -> bool {
        anchors.extend(item.anchor.as_ref().map(|anchor| anchor.id));
        match &item.shape {
            Shape::Alias { id, .. } => anchors.contains(id),
            Shape::Mapping(collection) | Shape::Sequence(collection) => {
                collection.entries.iter().all(|entry| walk(&entry.value, anchors))
            }
            Shape::Scalar { .. } | Shape::Block { .. } => true,
        }
    }
    walk(root, &mut HashSet::new())
}

#[cfg(test)]
mod tests;
