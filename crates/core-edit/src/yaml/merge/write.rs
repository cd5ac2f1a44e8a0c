//! Writes a merged document: two spaces per level, lists as far to the left as their key.

use super::layout::{Collection, Entry, Item, Notes, Shape};

const STEP: usize = 2;

/// The document as text.
pub(super) fn write(root: &Item) -> String {
    let mut writer = Writer { text: String::new(), is_text_open: false };
    match &root.shape {
        Shape::Mapping(collection) | Shape::Sequence(collection) if is_block(collection) => {
            if let Some(properties) = properties(root) {
                writer.text.push_str(&properties);
                writer.text.push('\n');
            }
            writer.entries(collection, 0, false);
        }
        _ => {
            writer.value(root, 0, &Notes::default(), false);
            writer.text = writer.text.trim_start().to_owned();
        }
    }
    writer.text
}

struct Writer {
    text: String,
    /// Whether an empty line would be one more line of the text above it, which keeps those at its end.
    is_text_open: bool,
}

fn is_block(collection: &Collection) -> bool {
    !collection.is_flow && !collection.entries.is_empty()
}

/// Anchor and tag.
fn properties(item: &Item) -> Option<String> {
    let anchor = item.anchor.as_ref().map(|anchor| format!("&{}", anchor.name));
    let parts: Vec<String> = anchor.into_iter().chain(item.tag.clone()).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

impl Writer {
    fn margin(&mut self, indent: usize) {
        self.text.extend(std::iter::repeat_n(' ', indent));
    }

    /// Sets off what follows, unless the lines of a text end with an empty one already.
    fn empty_line(&mut self) {
        if !self.is_text_open && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Writes the entries of a collection; `is_inline` says that the first one follows on the line of a dash.
    fn entries(&mut self, collection: &Collection, indent: usize, is_inline: bool) {
        let mut is_behind_comment = false;
        for (index, entry) in collection.entries.iter().enumerate() {
            let is_first = index == 0;
            if !is_first && (entry.notes.is_set_off || is_behind_comment) {
                self.empty_line();
            }
            self.comments(&entry.notes.above, indent);
            if !(is_first && is_inline) {
                self.margin(indent);
            }
            self.entry(entry, indent);
            self.comments(&entry.notes.below, indent);
            is_behind_comment = !entry.notes.below.is_empty();
        }
    }

    fn comments(&mut self, comments: &[String], indent: usize) {
        for comment in comments {
            if comment.is_empty() {
                self.empty_line();
            } else {
                self.margin(indent);
                self.text.push_str(comment);
                self.text.push('\n');
                self.is_text_open = false;
            }
        }
    }

    fn entry(&mut self, entry: &Entry, indent: usize) {
        if let Some(key) = &entry.key {
            self.text.push_str(&key.written);
            self.text.push(':');
        } else {
            self.text.push('-');
        }
        self.value(&entry.value, indent, &entry.notes, entry.key.is_none());
    }

    /// Writes what stands behind a key or a dash, and the end of the line.
    fn value(&mut self, item: &Item, indent: usize, notes: &Notes, is_item: bool) {
        let properties = properties(item);
        let has_properties = properties.is_some();
        if let Some(properties) = properties {
            self.text.push(' ');
            self.text.push_str(&properties);
        }
        match &item.shape {
            Shape::Mapping(collection) | Shape::Sequence(collection) if is_block(collection) => {
                let is_flush = matches!(item.shape, Shape::Sequence(_)) && !is_item;
                let inner = if is_flush { indent } else { indent + STEP };
                let begins_plain =
                    collection.entries.first().is_some_and(|first| first.notes.above.is_empty());
                if is_item && !has_properties && notes.right.is_none() && begins_plain {
                    self.text.push(' ');
                    self.entries(collection, inner, true);
                } else {
                    self.line_end(notes);
                    self.entries(collection, inner, false);
                }
            }
            Shape::Block { header, lines } => {
                self.text.push(' ');
                self.text.push_str(header);
                self.line_end(notes);
                for line in lines {
                    if !line.is_empty() {
                        self.margin(indent + STEP);
                    }
                    self.text.push_str(line);
                    self.text.push('\n');
                }
                self.is_text_open = header.contains('+');
            }
            _ => {
                let written = flow(item, false);
                if !written.is_empty() {
                    self.text.push(' ');
                    self.text.push_str(&written);
                }
                self.line_end(notes);
            }
        }
    }

    fn line_end(&mut self, notes: &Notes) {
        if let Some(comment) = &notes.right {
            self.text.push(' ');
            self.text.push_str(comment);
        }
        self.text.push('\n');
        self.is_text_open = false;
    }
}

/// A value on one line, without its own anchor and tag unless it is inside of brackets.
fn flow(item: &Item, is_inside: bool) -> String {
    let written = match &item.shape {
        Shape::Scalar { written, .. } if written.is_empty() && is_inside => "null".to_owned(),
        Shape::Scalar { written, .. } => written.clone(),
        Shape::Alias { name, .. } => format!("*{name}"),
        Shape::Mapping(collection) => format!("{{{}}}", members(collection)),
        Shape::Sequence(collection) => format!("[{}]", members(collection)),
        // Only what fits on one line is written in brackets.
        Shape::Block { .. } => String::new(),
    };
    match properties(item).filter(|_| is_inside) {
        Some(properties) => format!("{properties} {written}"),
        None => written,
    }
}

fn members(collection: &Collection) -> String {
    let member = |entry: &Entry| match &entry.key {
        Some(key) => format!("{}: {}", key.written, flow(&entry.value, true)),
        None => flow(&entry.value, true),
    };
    collection.entries.iter().map(member).collect::<Vec<_>>().join(", ")
}
