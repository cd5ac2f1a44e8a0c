//! A document taken apart for merging: values as they are written, with the comments that belong to them.

use super::super::quote::Place;

/// One entry of a mapping or item of a list, with its comments.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) notes: Notes,
    /// `None` for an item of a list.
    pub(super) key: Option<Key>,
    pub(super) value: Item,
}

/// Comments, as they are written, from `#`. An empty line among comments is an empty text.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    /// Whether an empty line sets the entry off from the one before.
    pub(super) is_set_off: bool,
    pub(super) above: Vec<String>,
    /// On the same line.
    pub(super) right: Option<String>,
    /// Behind the last entry of a collection.
    pub(super) below: Vec<String>,
}

impl Notes {
    /// Whether there is a comment.
    pub(super) fn has_comment(&self) -> bool {
        !self.above.is_empty() || self.right.is_some() || !self.below.is_empty()
    }
}

/// A key of a mapping.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// What readers get.
    pub(super) text: String,
    /// How it is written, with anchor and tag.
    pub(super) written: String,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) anchor: Option<Anchor>,
    /// As it is written.
    pub(super) tag: Option<String>,
    pub(super) shape: Shape,
}

/// `&name`.
#[derive(Clone, Debug)]
pub(super) struct Anchor {
    pub(super) id: usize,
    pub(super) name: String,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// On one line.
    Scalar {
        written: String,
        /// Where it was written; what stands outside of brackets may not do inside.
        place: Place,
        is_null: bool,
    },
    /// A header such as `|-`, and lines without indentation.
    Block {
        header: String,
        lines: Vec<String>,
    },
    Alias {
        id: usize,
        name: String,
    },
    Mapping(Collection),
    Sequence(Collection),
}

/// The entries of a mapping or list.
#[derive(Clone, Debug)]
pub(super) struct Collection {
    pub(super) entries: Vec<Entry>,
    /// Whether it stands in brackets, on one line.
    pub(super) is_flow: bool,
}

impl Item {
    /// `{}`.
    pub(super) fn empty_mapping() -> Self {
        let nothing = Collection { entries: Vec::new(), is_flow: true };
        Self { anchor: None, tag: None, shape: Shape::Mapping(nothing) }
    }

    /// What it is, in words; the words are equal for what may replace each other.
    pub(super) fn kind(&self) -> &'static str {
        match self.shape {
            Shape::Scalar { .. } | Shape::Block { .. } => "a scalar",
            Shape::Alias { .. } => "an alias",
            Shape::Mapping(_) => "a mapping",
            Shape::Sequence(_) => "a list",
        }
    }

    pub(super) fn is_null(&self) -> bool {
        self.tag.is_none() && matches!(self.shape, Shape::Scalar { is_null: true, .. })
    }

    /// Whether it can stand between brackets, on one line and without comments.
    pub(super) fn fits_in_flow(&self) -> bool {
        match &self.shape {
            Shape::Scalar { place: Place::Flow, .. } | Shape::Alias { .. } => true,
            Shape::Scalar { written, .. } => {
                written.starts_with(['"', '\''])
                    || !written.contains([',', '[', ']', '{', '}', ':', '?'])
            }
            Shape::Block { .. } => false,
            Shape::Mapping(collection) | Shape::Sequence(collection) => {
                collection.is_flow
                    && collection
                        .entries
                        .iter()
                        .all(|entry| !entry.notes.has_comment() && entry.value.fits_in_flow())
            }
        }
    }
}
