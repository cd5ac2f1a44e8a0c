//! The `images` of a kustomization: entries replaced or added, the list sorted, everything else as it was.
//!
//! An entry keeps its comments wherever the order of names puts it.

mod listed;
mod write;

use std::collections::BTreeMap;

use self::{
    listed::{Listed, listed},
    write::{Column, block_list, flow_list},
};
use crate::{
    EditError,
    splice::{Splice, splice},
    yaml::{Content, Document, Entry, Node, read},
};

/// What a value says when it is to stay as it is in the file.
const AS_IT_IS: &str = "*";

/// An entry of `images`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// The image that manifests name.
    pub name: String,
    /// The image that takes its place.
    pub new_name: Option<String>,
    /// Its tag.
    pub new_tag: Option<String>,
    /// Its digest.
    pub digest: Option<String>,
}

/// A kustomization with images set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated {
    /// The text of the file.
    pub text: String,
    /// What was set, by name: `*` is what the file had.
    pub images: Vec<Image>,
}

/// Sets images in a kustomization. Entries of the same name are replaced whole; of two that are set the later counts.
pub fn set_images(text: &str, images: &[Image]) -> Result<Updated, EditError> {
    let document = read(text)?;
    let entries = root_entries(&document)?;
    let entry = entries.iter().find(|entry| entry.key.scalar_text() == Some("images"));
    let listed = entry.map_or(Ok(Vec::new()), |entry| listed(&document, entry))?;
    let set = resolved(images, &listed);
    let text = if set.is_empty() {
        text.to_owned()
    } else {
        splice(text, splices(&document, entry, &listed, &set))
    };
    Ok(Updated { text, images: set.into_values().collect() })
}

fn root_entries<'d, 't>(document: &'d Document<'t>) -> Result<&'d [Entry<'t>], EditError> {
    match document.root.as_ref().map(|root| &root.content) {
        None => Err(EditError::Empty),
        Some(Content::Mapping { entries, .. }) => Ok(entries),
        Some(_) => Err(EditError::Images("the file is no mapping".to_owned())),
    }
}

/// The images by name, with what the file has in place of stars.
fn resolved(images: &[Image], listed: &[Listed<'_, '_>]) -> BTreeMap<String, Image> {
    let resolve = |image: &Image| {
        let found = listed.iter().find(|listed| listed.image.name == image.name);
        let current = found.map(|listed| listed.image.clone()).unwrap_or_default();
        let value = |wanted: &Option<String>, current: Option<String>| match wanted.as_deref() {
            Some(AS_IT_IS) => current,
            _ => wanted.clone().filter(|wanted| !wanted.is_empty()),
        };
        let image = Image {
            name: image.name.clone(),
            new_name: value(&image.new_name, current.new_name),
            new_tag: value(&image.new_tag, current.new_tag),
            digest: value(&image.digest, current.digest),
        };
        (image.name.clone(), image)
    };
    images.iter().map(resolve).collect()
}

/// An entry of the new list.
enum Planned<'l, 'd, 't> {
    /// One of the file, as it is.
    Kept(&'l Listed<'d, 't>),
    /// One that is set, and the one of the file that it replaces.
    Set(&'l Image, Option<&'l Listed<'d, 't>>),
}

impl Planned<'_, '_, '_> {
    fn name(&self) -> &str {
        match self {
            Self::Kept(listed) => &listed.image.name,
            Self::Set(image, _) => &image.name,
        }
    }
}

fn planned<'l, 'd, 't>(
    listed: &'l [Listed<'d, 't>],
    set: &'l BTreeMap<String, Image>,
) -> Vec<Planned<'l, 'd, 't>> {
    let kept = listed.iter().filter(|listed| !set.contains_key(&listed.image.name));
    let of_file = |name: &str| listed.iter().find(|listed| listed.image.name == name);
    let new = set.values().map(|image| Planned::Set(image, of_file(&image.name)));
    let mut planned: Vec<_> = kept.map(Planned::Kept).chain(new).collect();
    planned.sort_by(|left, right| left.name().cmp(right.name()));
    planned
}

fn splices(
    document: &Document<'_>,
    entry: Option<&Entry<'_>>,
    listed: &[Listed<'_, '_>],
    set: &BTreeMap<String, Image>,
) -> Vec<Splice> {
    let planned = planned(listed, set);
    match entry.map(|entry| (entry, &entry.value.content)) {
        None => vec![appended(document, &planned)],
        Some((entry, Content::Sequence { is_flow: true, .. })) => {
            vec![Splice::new(entry.value.span.clone(), flow_list(document, &planned))]
        }
        Some((_, Content::Sequence { .. })) => {
            let start = listed.first().map_or(0, |first| first.chunk.start);
            let end = listed.last().map_or(start, |last| last.chunk.end);
            let column = listed.first().map_or(0, |first| first.column);
            let mut text = block_list(document, &planned, Column(column));
            if !document.text.get(start..end).unwrap_or_default().ends_with('\n') {
                text.truncate(text.trim_end().len());
            }
            vec![Splice::new(start..end, text)]
        }
        Some((entry, _)) => filled(document, entry, &planned),
    }
}

/// A list behind a key that has no value, or null.
fn filled(
    document: &Document<'_>,
    entry: &Entry<'_>,
    planned: &[Planned<'_, '_, '_>],
) -> Vec<Splice> {
    let text = document.text;
    let value = &entry.value.span;
    let null = document.content_end(value.start)..value.end;
    let line_end = text.get(value.end..).unwrap_or_default().find('\n');
    let at = line_end.map_or(text.len(), |offset| value.end + offset + 1);
    let list = block_list(document, planned, Column(entry.column));
    let list = if line_end.is_some() { list } else { format!("\n{}", list.trim_end()) };
    let removed = (!value.is_empty()).then(|| Splice::new(null, ""));
    removed.into_iter().chain([Splice::new(at..at, list)]).collect()
}

/// The key and its list at the end of the root.
fn appended(document: &Document<'_>, planned: &[Planned<'_, '_, '_>]) -> Splice {
    let (root, text) = (document.root.as_ref(), document.text);
    let end = root.map_or(text.len(), |root| root.span.end);
    match root.map(|root| &root.content) {
        Some(Content::Mapping { entries, is_flow: true }) => {
            let at = document.content_end(end.saturating_sub(1));
            let comma = if entries.is_empty() { "" } else { ", " };
            Splice::new(at..at, format!("{comma}images: {}", flow_list(document, planned)))
        }
        root => {
            let column = match root {
                Some(Content::Mapping { entries, .. }) => {
                    entries.first().map_or(0, |entry| entry.column)
                }
                _ => 0,
            };
            let newline = write::newline(text);
            let key = format!("{}images:{newline}", " ".repeat(column));
            let list = format!("{key}{}", block_list(document, planned, Column(column)));
            let is_line_open = !text.get(..end).unwrap_or_default().ends_with('\n');
            let list = if is_line_open { format!("{newline}{}", list.trim_end()) } else { list };
            Splice::new(end..end, list)
        }
    }
}

/// The words for what a node is, in an error about `images`.
fn unusable(node: &Node<'_>, wanted: &str) -> EditError {
    EditError::Images(format!("{} stands where {wanted} should", node.kind()))
}

#[cfg(test)]
mod tests;
