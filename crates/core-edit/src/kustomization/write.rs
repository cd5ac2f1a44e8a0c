//! Writes the list of images.

use granit_parser::ScalarStyle;

use super::{Image, Planned, listed::Listed};
use crate::{
    splice::{Splice, splice},
    text,
    yaml::{Content, Document, Node, Place, is_text, line_start, write_text},
};

/// The fields of an entry, in the order in which they are written.
const FIELDS: [&str; 4] = ["name", "newName", "newTag", "digest"];

/// The column of dashes.
#[derive(Clone, Copy)]
pub(super) struct Column(pub(super) usize);

/// The line ends of a text.
pub(super) fn newline(text: &str) -> &'static str {
    let first = text.find('\n');
    let is_windows =
        first.is_some_and(|at| text.get(..at).is_some_and(|line| line.ends_with('\r')));
    if is_windows { "\r\n" } else { "\n" }
}

/// The list in lines.
pub(super) fn block_list(
    document: &Document<'_>,
    planned: &[Planned<'_, '_, '_>],
    column: Column,
) -> String {
    let newline = newline(document.text);
    let mut list = String::new();
    for entry in planned {
        match entry {
            Planned::Kept(listed) => list.push_str(&kept(document, listed)),
            Planned::Set(image, replaced) => {
                list.push_str(&block_entry(document, image, *replaced, column, newline));
            }
        }
        if !list.ends_with('\n') {
            list.push_str(newline);
        }
    }
    list
}

/// An entry of the file. Numbers in it become texts: kustomize reads nothing else.
fn kept(document: &Document<'_>, listed: &Listed<'_, '_>) -> String {
    let source = document.text.get(listed.chunk.clone()).unwrap_or_default();
    let quote = |node: &Node<'_>| {
        let start = node.span.start.checked_sub(listed.chunk.start)?;
        let Content::Scalar { text, style: ScalarStyle::Plain } = &node.content else {
            return None;
        };
        let is_number = !node.is_empty_scalar() && node.tag.is_none() && !is_text(text);
        is_number.then(|| Splice::new(start..start + node.span.len(), text::quoted(text)))
    };
    let fields = FIELDS.iter().filter_map(|name| field(listed.node, name));
    splice(source, fields.filter_map(quote).collect())
}

/// A field of an entry.
fn field<'d, 't>(node: &'d Node<'t>, name: &str) -> Option<&'d Node<'t>> {
    let Content::Mapping { entries, .. } = &node.content else { return None };
    let entry = entries.iter().rev().find(|entry| entry.key.scalar_text() == Some(name))?;
    Some(&entry.value)
}

/// An entry that is set, with the comments and quotes of the one that it replaces.
fn block_entry(
    document: &Document<'_>,
    image: &Image,
    replaced: Option<&Listed<'_, '_>>,
    Column(column): Column,
    newline: &str,
) -> String {
    let mut comments = replaced.map(|listed| Comments::of(document, listed)).unwrap_or_default();
    let mut lines = Vec::new();
    for (name, value) in fields(image) {
        let old = replaced.and_then(|listed| field(listed.node, name));
        let margin = if lines.is_empty() { "- " } else { "  " };
        let comment = comments.take(name).map(|comment| format!(" {comment}")).unwrap_or_default();
        let value = write_text(value, style(old), Place::Block);
        lines.push(format!("{}{margin}{name}: {value}{comment}{newline}", " ".repeat(column)));
    }
    let margin = " ".repeat(column);
    let mut orphans = String::new();
    for comment in comments.rest() {
        orphans.extend([margin.as_str(), comment, newline]);
    }
    let above =
        replaced.and_then(|listed| document.text.get(listed.chunk.start..listed.first_line));
    format!("{}{orphans}{}", above.unwrap_or_default(), lines.concat())
}

fn style(old: Option<&Node<'_>>) -> ScalarStyle {
    match old.map(|node| &node.content) {
        Some(Content::Scalar { style, .. }) => *style,
        _ => ScalarStyle::Plain,
    }
}

/// The fields that an image has.
fn fields(image: &Image) -> impl Iterator<Item = (&'static str, &str)> {
    let Image { name, new_name, new_tag, digest } = image;
    let values = [Some(name), new_name.as_ref(), new_tag.as_ref(), digest.as_ref()];
    FIELDS.into_iter().zip(values).filter_map(|(field, value)| Some((field, value?.as_str())))
}

/// The comments within an entry of the file, by the field on whose line they stand.
#[derive(Default)]
struct Comments<'t> {
    comments: Vec<(Option<&'static str>, &'t str)>,
}

impl<'t> Comments<'t> {
    fn of(document: &Document<'t>, listed: &Listed<'_, '_>) -> Self {
        let position = |at| document.comments.partition_point(|comment| comment.start < at);
        let inside = position(listed.first_line)..position(listed.chunk.end);
        let inside = document.comments.get(inside).unwrap_or_default().iter();
        let of_comment = |comment: &std::ops::Range<usize>| {
            let line = line_start(document.text, comment.start);
            let is_on_line = |name: &&'static str| {
                let value = field(listed.node, name).map(|node| node.span.start);
                value.is_some_and(|start| (line..comment.start).contains(&start))
            };
            let source = document.text.get(comment.clone()).unwrap_or_default().trim_end();
            (FIELDS.into_iter().find(is_on_line), source)
        };
        Self { comments: inside.map(of_comment).collect() }
    }

    /// The comment for a field. Tag and digest take each other's place, so the comment of one does for the other.
    fn take(&mut self, name: &str) -> Option<&'t str> {
        let other = match name {
            "newTag" => "digest",
            "digest" => "newTag",
            _ => name,
        };
        let position =
            |wanted: &str| self.comments.iter().position(|(field, _)| *field == Some(wanted));
        let index = position(name).or_else(|| position(other))?;
        Some(self.comments.remove(index).1)
    }

    /// Those that no field took.
    fn rest(self) -> impl Iterator<Item = &'t str> {
        self.comments.into_iter().map(|(_, comment)| comment)
    }
}

/// The list in brackets.
pub(super) fn flow_list(document: &Document<'_>, planned: &[Planned<'_, '_, '_>]) -> String {
    let entry = |planned: &Planned<'_, '_, '_>| match planned {
        Planned::Kept(listed) => document
            .text
            .get(listed.node.start()..listed.node.span.end)
            .unwrap_or_default()
            .to_owned(),
        Planned::Set(image, _) => {
            let field = |(name, value): (&str, &str)| {
                format!("{name}: {}", write_text(value, ScalarStyle::Plain, Place::Flow))
            };
            format!("{{{}}}", fields(image).map(field).collect::<Vec<_>>().join(", "))
        }
    };
    format!("[{}]", planned.iter().map(entry).collect::<Vec<_>>().join(", "))
}
