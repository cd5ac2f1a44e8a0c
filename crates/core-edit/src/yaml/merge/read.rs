//! From a tree to what is merged.

use std::collections::HashMap;

use granit_parser::ScalarStyle;

use super::{
    super::{
        quote::{self, Place},
        scalar,
        tree::{self, Content, Document, Node, line_start},
        value::{NODE_WEIGHT, charge},
    },
    layout::{Anchor, Collection, Entry, Item, Key, Notes, Shape},
    notes,
};
use crate::{EditError, MAX_DEPTH};

/// What becomes of anchors and aliases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aliases {
    /// They stay.
    Kept,
    /// Every alias becomes what it stands for.
    Expanded,
}

/// The root of a document; `None` when there is nothing to merge.
pub(super) fn read(document: &Document<'_>, aliases: Aliases) -> Result<Option<Item>, EditError> {
    let Some(root) = &document.root else { return Ok(None) };
    let notes = notes::of_entries(document).into_iter();
    let mut reader = Reader { document, notes, aliases, anchors: HashMap::new(), expansion: 0 };
    let item = reader.item(root, Place::Block, 0)?;
    Ok(Some(item).filter(|item| !item.is_null()))
}

struct Reader<'d, 't> {
    document: &'d Document<'t>,
    /// Of the entries that were not read yet.
    notes: std::vec::IntoIter<Notes>,
    aliases: Aliases,
    anchors: HashMap<usize, (Item, usize)>,
    expansion: usize,
}

impl Reader<'_, '_> {
    fn item(&mut self, node: &Node<'_>, place: Place, depth: usize) -> Result<Item, EditError> {
        if depth > MAX_DEPTH {
            return Err(EditError::TooDeep);
        }
        let shape = match &node.content {
            Content::Alias(id) if self.aliases == Aliases::Expanded => return self.expand(*id),
            Content::Alias(id) => {
                let name = self.source(node.span.clone()).trim_start_matches('*').to_owned();
                Shape::Alias { id: *id, name }
            }
            Content::Scalar { text, style } => self.scalar(node, text, *style, place),
            Content::Mapping { entries, is_flow } => {
                Shape::Mapping(self.mapping(node, entries, *is_flow, depth)?)
            }
            Content::Sequence { items, is_flow } => {
                Shape::Sequence(self.sequence(node, items, *is_flow, depth)?)
            }
        };
        let tag = node.tag.as_ref().map(|tag| self.source(tag.span.clone()).to_owned());
        let mut item = Item { anchor: None, tag, shape };
        if let Some(anchor) = &node.anchor {
            match self.aliases {
                Aliases::Kept => {
                    item.anchor = Some(Anchor { id: anchor.id, name: anchor.name.to_string() });
                }
                Aliases::Expanded => self.remember(anchor.id, &item)?,
            }
        }
        Ok(item)
    }

    fn source(&self, range: std::ops::Range<usize>) -> &str {
        self.document.text.get(range).unwrap_or_default()
    }

    fn mapping(
        &mut self,
        node: &Node<'_>,
        entries: &[tree::Entry<'_>],
        is_flow: bool,
        depth: usize,
    ) -> Result<Collection, EditError> {
        let is_flow = notes::is_flow(self.document, node, is_flow);
        let place = if is_flow { Place::Flow } else { Place::Block };
        let mut read = Vec::with_capacity(entries.len());
        for entry in entries {
            let notes = self.next_notes(is_flow);
            let key = Some(self.key(&entry.key, place)?);
            read.push(Entry { notes, key, value: self.item(&entry.value, place, depth + 1)? });
        }
        Ok(Collection { entries: read, is_flow })
    }

    fn sequence(
        &mut self,
        node: &Node<'_>,
        items: &[Node<'_>],
        is_flow: bool,
        depth: usize,
    ) -> Result<Collection, EditError> {
        let is_flow = notes::is_flow(self.document, node, is_flow);
        let place = if is_flow { Place::Flow } else { Place::Block };
        let mut read = Vec::with_capacity(items.len());
        for item in items {
            let notes = self.next_notes(is_flow);
            read.push(Entry { notes, key: None, value: self.item(item, place, depth + 1)? });
        }
        Ok(Collection { entries: read, is_flow })
    }

    /// Only entries outside of brackets have comments.
    fn next_notes(&mut self, is_flow: bool) -> Notes {
        if is_flow { Notes::default() } else { self.notes.next().unwrap_or_default() }
    }

    fn key(&self, key: &Node<'_>, place: Place) -> Result<Key, EditError> {
        let (Content::Scalar { text, style }, Some(name)) = (&key.content, key.scalar_text())
        else {
            return Err(EditError::MappingKey(key.kind()));
        };
        let mut written = String::new();
        if key.start() < key.span.start {
            written.push_str(self.source(key.start()..key.span.start).trim_end());
            written.push(' ');
        }
        written.push_str(&self.one_line(key, text, *style, place));
        Ok(Key { text: name.to_owned(), written })
    }

    fn scalar(&self, node: &Node<'_>, text: &str, style: ScalarStyle, place: Place) -> Shape {
        match style {
            ScalarStyle::Literal => literal(text),
            ScalarStyle::Folded if text.trim_matches('\n').is_empty() => literal(text),
            ScalarStyle::Folded => self.folded(node),
            _ => {
                let is_plain = style == ScalarStyle::Plain;
                let is_null = node.is_empty_scalar() || (is_plain && scalar::is_null(text));
                Shape::Scalar { written: self.one_line(node, text, style, place), place, is_null }
            }
        }
    }

    /// A scalar as it is in the source, or its text on one line if it has several there.
    fn one_line(&self, node: &Node<'_>, text: &str, style: ScalarStyle, place: Place) -> String {
        let source = self.source(node.span.clone());
        if source.contains('\n') || matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            quote::write_text(text, style, place)
        } else {
            source.to_owned()
        }
    }

    /// Lines of a folded text as their author broke them.
    fn folded(&self, node: &Node<'_>) -> Shape {
        let place = self.document.block_header(node);
        let (header, behind) = (self.source(place.clone()), self.source(place.end..node.span.end));
        let first = behind.find('\n').map_or(node.span.end, |newline| place.end + newline + 1);
        let last = line_start(self.document.text, node.span.end);
        // The span may reach into the margin of the next line.
        let is_margin = self.source(last..node.span.end).trim().is_empty();
        let end = if is_margin { last.max(first) } else { node.span.end };
        let margin = node.span.start - line_start(self.document.text, node.span.start);
        let cut = |line: &str| line.get(margin..).unwrap_or_default().to_owned();
        let mut lines: Vec<String> = self.source(first..end).lines().map(cut).collect();
        while !header.contains('+') && lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let chomping = header.trim_start_matches(|c| !matches!(c, '+' | '-'));
        let chomping = chomping.get(..1).unwrap_or_default();
        Shape::Block { header: format!(">{}{chomping}", indicator(&lines)), lines }
    }

    fn expand(&mut self, id: usize) -> Result<Item, EditError> {
        let (item, weight) = self.anchors.get(&id).ok_or(EditError::SelfReference)?;
        charge(&mut self.expansion, *weight)?;
        Ok(item.clone())
    }

    fn remember(&mut self, id: usize, item: &Item) -> Result<(), EditError> {
        let (weight, depth) = measure(item);
        // An item that is repeated in itself over and over would grow deep, too.
        if depth > MAX_DEPTH {
            return Err(EditError::TooDeep);
        }
        charge(&mut self.expansion, weight)?;
        self.anchors.insert(id, (item.clone(), weight));
        Ok(())
    }
}

/// Weight and depth of an item.
fn measure(item: &Item) -> (usize, usize) {
    match &item.shape {
        Shape::Scalar { written, .. } => (NODE_WEIGHT + written.len(), 0),
        Shape::Block { lines, .. } => {
            (lines.iter().fold(NODE_WEIGHT, |weight, line| weight + line.len()), 0)
        }
        Shape::Alias { .. } => (NODE_WEIGHT, 0),
        Shape::Mapping(collection) | Shape::Sequence(collection) => {
            collection.entries.iter().fold((NODE_WEIGHT, 0), |(weight, depth), entry| {
                let (inner, below) = measure(&entry.value);
                let key = entry.key.as_ref().map_or(0, |key| key.written.len());
                (weight + inner + key, depth.max(below + 1))
            })
        }
    }
}

/// A text in literal style.
fn literal(text: &str) -> Shape {
    let body = text.trim_end_matches('\n');
    let chomping = match text.len() - body.len() {
        0 => "-",
        1 if !body.is_empty() => "",
        _ => "+",
    };
    let shown = if chomping == "+" { text.strip_suffix('\n').unwrap_or(text) } else { body };
    let lines: Vec<String> = shown.split('\n').map(str::to_owned).collect();
    let lines = if text.is_empty() { Vec::new() } else { lines };
    Shape::Block { header: format!("|{}{chomping}", indicator(&lines)), lines }
}

/// Says how far lines are indented where a reader could not tell.
fn indicator(lines: &[String]) -> &'static str {
    let first = lines.iter().find(|line| !line.is_empty());
    let is_unclear = first.is_some_and(|line| line.starts_with(' '));
    if is_unclear { "2" } else { "" }
}
