//! The entries that a kustomization has.

use std::ops::Range;

use super::{Image, unusable};
use crate::{
    EditError,
    yaml::{Content, Document, Entry, Node, line_start},
};

/// An entry of the file.
pub(super) struct Listed<'d, 't> {
    pub(super) image: Image,
    pub(super) node: &'d Node<'t>,
    /// In block style: its lines and the comments above them.
    pub(super) chunk: Range<usize>,
    /// Where the line of its dash begins.
    pub(super) first_line: usize,
    /// The column of its dash.
    pub(super) column: usize,
}

/// The entries below the key `images`; null is an empty list.
pub(super) fn listed<'d, 't>(
    document: &Document<'t>,
    entry: &'d Entry<'t>,
) -> Result<Vec<Listed<'d, 't>>, EditError> {
    let items = match &entry.value.content {
        Content::Sequence { items, .. } => items,
        Content::Scalar { text, .. }
            if entry.value.is_empty_scalar() || text == "null" || text == "~" =>
        {
            return Ok(Vec::new());
        }
        _ => return Err(unusable(&entry.value, "a list")),
    };
    let mut chunk_start = line_end(document.text, entry.key.span.end);
    let mut listed = Vec::with_capacity(items.len());
    for node in items {
        let dash = document.content_end(node.start()).saturating_sub(1);
        let first_line = line_start(document.text, dash);
        let chunk_end = line_end(document.text, document.content_end(node.span.end));
        listed.push(Listed {
            image: image(node)?,
            node,
            chunk: chunk_start..chunk_end,
            first_line,
            column: dash - first_line,
        });
        chunk_start = chunk_end;
    }
    Ok(listed)
}

/// Behind the line around `at`.
fn line_end(text: &str, at: usize) -> usize {
    let newline = text.get(at..).and_then(|rest| rest.find('\n'));
    newline.map_or(text.len(), |offset| at + offset + 1)
}

fn image(node: &Node<'_>) -> Result<Image, EditError> {
    let Content::Mapping { entries, .. } = &node.content else {
        return Err(unusable(node, "a mapping"));
    };
    let mut image = Image::default();
    let mut has_name = false;
    for entry in entries {
        let field = match entry.key.scalar_text() {
            Some("newName") => &mut image.new_name,
            Some("newTag") => &mut image.new_tag,
            Some("digest") => &mut image.digest,
            Some("name") => {
                image.name = text(&entry.value)?.unwrap_or_default();
                has_name = true;
                continue;
            }
            _ => continue,
        };
        *field = text(&entry.value)?;
    }
    if has_name { Ok(image) } else { Err(EditError::Images("an entry has no name".to_owned())) }
}

fn text(node: &Node<'_>) -> Result<Option<String>, EditError> {
    match node.scalar_text() {
        Some(text) => Ok(Some(text.to_owned()).filter(|text| !text.is_empty())),
        None => Err(unusable(node, "a text")),
    }
}
