//! Replaces scalars where they stand. Everything else stays as it is: comments, anchors, tags, neighbours, line ends.

use std::ops::Range;

use granit_parser::ScalarStyle;

use super::{
    quote::{self, Place},
    reader,
    tree::{Content, Document, Node, line_start},
};
use crate::{
    EditError, KeyPath, Scalar,
    splice::{Splice, splice},
    text,
};

/// Sets values in the first document of a text. Every key must lead to a scalar that is there; when two lead to the
/// same one, the later value counts. An error leaves nothing half done.
pub fn update(text: &str, updates: &[(KeyPath, Scalar)]) -> Result<String, EditError> {
    let document = reader::read(text)?;
    let mut splices = Vec::new();
    for (path, scalar) in updates {
        let target = locate(&document, path)?;
        splices.extend(target.replace(&document, scalar));
    }
    Ok(splice(text, splices))
}

/// A scalar and what stands around it.
struct Target<'d, 't> {
    node: &'d Node<'t>,
    place: Place,
    /// The key before it and the column of that, unless it is an item of a list.
    key: Option<(&'d Node<'t>, usize)>,
}

fn locate<'d, 't>(document: &'d Document<'t>, path: &KeyPath) -> Result<Target<'d, 't>, EditError> {
    let root = document.root.as_ref().ok_or_else(|| path.not_found("the document is empty"))?;
    let mut target = Target { node: root, place: Place::Block, key: None };
    for part in path.parts() {
        target = target.step(path, part)?;
    }
    match target.node.content {
        Content::Scalar { .. } => Ok(target),
        _ => Err(path.not_scalar(target.node.kind())),
    }
}

impl Target<'_, '_> {
    fn step(self, path: &KeyPath, part: &str) -> Result<Self, EditError> {
        let missing = |kind| path.not_found(format!("{part:?} is looked for in {kind}"));
        match &self.node.content {
            Content::Mapping { entries, is_flow } => {
                let named = |entry: &&super::tree::Entry<'_>| entry.key.scalar_text() == Some(part);
                let entry = entries
                    .iter()
                    .find(named)
                    .ok_or_else(|| path.not_found(format!("there is no {part:?}")))?;
                let key = Some((&entry.key, entry.column));
                Ok(Self { node: &entry.value, place: self.inside(*is_flow), key })
            }
            Content::Sequence { items, is_flow } => {
                let index = path.index(part, items.len())?;
                let node = items.get(index).ok_or_else(|| missing("a list"))?;
                Ok(Self { node, place: self.inside(*is_flow), key: None })
            }
            Content::Scalar { .. } | Content::Alias(_) => Err(missing(self.node.kind())),
        }
    }

    fn inside(&self, is_flow: bool) -> Place {
        if is_flow { Place::Flow } else { self.place }
    }

    /// What to do to the text so that the scalar is there.
    fn replace(&self, document: &Document<'_>, scalar: &Scalar) -> Vec<Splice> {
        let Content::Scalar { style, .. } = &self.node.content else { return Vec::new() };
        if self.is_already(scalar, *style) {
            return Vec::new();
        }
        if *style == ScalarStyle::Literal
            && let Scalar::Text(text) = scalar
            && let Some(splices) = self.replace_lines(document, text)
        {
            return splices;
        }
        let written = quote::write(scalar, *style, self.place);
        match style {
            ScalarStyle::Literal | ScalarStyle::Folded => self.replace_block(document, written),
            _ if self.node.is_empty_scalar() => vec![self.fill(document, &written)],
            _ => vec![Splice::new(self.node.span.clone(), written)],
        }
    }

    /// Whether the text is there already, in a form that every reader takes for that text.
    fn is_already(&self, scalar: &Scalar, style: ScalarStyle) -> bool {
        let (Scalar::Text(wanted), Some(text)) = (scalar, self.node.scalar_text()) else {
            return false;
        };
        wanted == text && (style != ScalarStyle::Plain || quote::is_plain(text, self.place))
    }

    /// Puts the value where nothing stands yet.
    fn fill(&self, document: &Document<'_>, written: &str) -> Splice {
        let (at, before) = match (self.node.properties_end(), self.key) {
            (Some(end), _) => (end, " ".to_owned()),
            (None, Some((key, column))) => match colon_after(document.text, key.span.end) {
                Some(at) => (at, " ".to_owned()),
                None if self.place == Place::Flow => (key.span.end, ": ".to_owned()),
                None => (key.span.end, format!("\n{}: ", " ".repeat(column))),
            },
            (None, None) => (document.content_end(self.node.span.start), " ".to_owned()),
        };
        Splice::new(at..at, format!("{before}{written}"))
    }

    /// The header of a block scalar becomes the value, a comment behind it stays, its lines go.
    fn replace_block(&self, document: &Document<'_>, written: String) -> Vec<Splice> {
        let header = document.block_header(self.node);
        let content = lines_of_block(document.text, header.end, self.node.span.end);
        vec![Splice::new(header, written), Splice::new(content, "")]
    }

    /// A text of several lines takes the place of one; `None` when it cannot be written so.
    fn replace_lines(&self, document: &Document<'_>, text: &str) -> Option<Vec<Splice>> {
        let Range { start, end } = self.node.span;
        let header = document.block_header(self.node);
        let content = lines_of_block(document.text, header.end, end);
        let (blank, behind) =
            (document.text.get(content.end..end)?, document.text.get(content.end..)?);
        let newline = if behind.starts_with("\r\n") { "\r\n" } else { "\n" };
        let margin = start - line_start(document.text, start);
        let body = text.strip_suffix('\n').unwrap_or(text);
        let is_shown = |c: char| text::is_printable(c) || matches!(c, '\n' | '\t');
        let fits = body.contains('\n')
            && !body.ends_with('\n')
            && !body.starts_with([' ', '\t', '\n'])
            && body.chars().all(is_shown)
            && behind.starts_with(newline)
            && start < end
            // Blank lines that stay must not become part of the text.
            && blank.lines().all(|line| line.len() <= margin);
        if !fits {
            return None;
        }
        let margin = " ".repeat(margin);
        let mut lines = String::new();
        for line in body.split('\n') {
            lines.extend([newline, if line.is_empty() { "" } else { &margin }, line]);
        }
        let indicators = if body.len() < text.len() { "|" } else { "|-" };
        Some(vec![Splice::new(header, indicators), Splice::new(content, lines)])
    }
}

/// Behind the colon that follows a key, if one does.
fn colon_after(text: &str, from: usize) -> Option<usize> {
    let mut rest = text.get(from..)?;
    loop {
        rest = rest.trim_start();
        match rest.strip_prefix('#') {
            Some(comment) => rest = comment.split_once('\n')?.1,
            None => break,
        }
    }
    let rest = rest.strip_prefix(':')?;
    Some(text.len() - rest.len())
}

/// The lines of a block scalar, from the end of its header's line to the end of its last line that is not blank.
fn lines_of_block(text: &str, header_end: usize, end: usize) -> Range<usize> {
    let region = text.get(header_end..end).unwrap_or_default();
    let Some(newline) = region.find('\n') else { return end..end };
    let first = region.get(..newline).unwrap_or_default();
    let start = header_end + first.trim_end_matches('\r').len();
    let last = header_end + region.trim_end().len();
    start..last.max(start)
}
