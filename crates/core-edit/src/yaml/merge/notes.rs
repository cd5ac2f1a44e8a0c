//! Which comment belongs to which entry.
//!
//! A comment on the line of an entry belongs to that. One on a line of its own belongs to the entry below, unless it
//! is indented more than that: then it ends the collection above.

use granit_parser::ScalarStyle;

use super::{
    super::tree::{Content, Document, Node, line_start},
    layout::Notes,
};

/// The comments of every entry, in the order in which entries begin.
pub(super) fn of_entries(document: &Document<'_>) -> Vec<Notes> {
    let mut starts = Vec::new();
    if let Some(root) = &document.root {
        collect(document, root, None, &mut starts);
    }
    let mut notes: Vec<Notes> = starts.iter().map(|start| set_off(document, start)).collect();
    for comment in &document.comments {
        let (line, text) = (line_start(document.text, comment.start), comment.clone());
        let text = document.text.get(text).unwrap_or_default().trim_end().to_owned();
        let next = starts.partition_point(|start| start.at < comment.start);
        if is_blank(document.text, line, comment.start) {
            let column = comment.start - line;
            own_line(document, &starts, &mut notes, &OwnLine { line, column, text, next });
        } else if let Some(notes) = next.checked_sub(1).and_then(|last| notes.get_mut(last)) {
            match &notes.right {
                None => notes.right = Some(text),
                Some(_) => notes.above.push(text),
            }
        }
    }
    for (notes, start) in notes.iter_mut().zip(&starts) {
        if !notes.above.is_empty() && is_line_before_blank(document.text, start.at) {
            notes.above.push(String::new());
        }
    }
    notes
}

/// Where an entry begins.
struct Start {
    at: usize,
    column: usize,
    parent: Option<usize>,
}

/// A comment on a line of its own.
struct OwnLine {
    line: usize,
    column: usize,
    text: String,
    /// The entry that begins behind it.
    next: usize,
}

/// Whether a collection is written in brackets. One with comments in it is not: these need lines of their own.
pub(super) fn is_flow(document: &Document<'_>, node: &Node<'_>, is_flow: bool) -> bool {
    let count = document.comments.partition_point(|comment| comment.start < node.span.start);
    let next = document.comments.get(count);
    is_flow && next.is_none_or(|comment| comment.start >= node.span.end)
}

fn collect(
    document: &Document<'_>,
    node: &Node<'_>,
    parent: Option<usize>,
    starts: &mut Vec<Start>,
) {
    let mut enter = |at: usize, value: &Node<'_>| {
        let column = at - line_start(document.text, at);
        starts.push(Start { at, column, parent });
        let own = starts.len() - 1;
        collect(document, value, Some(own), starts);
    };
    match &node.content {
        Content::Mapping { entries, is_flow: flow } if !is_flow(document, node, *flow) => {
            for entry in entries {
                enter(entry.key.start(), &entry.value);
            }
        }
        Content::Sequence { items, is_flow: flow } if !is_flow(document, node, *flow) => {
            for item in items {
                let dash = document.content_end(first_mark(document, item)).saturating_sub(1);
                enter(dash, item);
            }
        }
        _ => {}
    }
}

/// Where the first thing of a node stands. The span of a block scalar leaves its header out.
fn first_mark(document: &Document<'_>, node: &Node<'_>) -> usize {
    match &node.content {
        Content::Scalar { style: ScalarStyle::Literal | ScalarStyle::Folded, .. }
            if node.properties_end().is_none() =>
        {
            document.block_header(node).start
        }
        _ => node.start(),
    }
}

fn own_line(document: &Document<'_>, starts: &[Start], notes: &mut [Notes], comment: &OwnLine) {
    let above = ending_before(starts, comment)
        .filter(|_| starts.get(comment.next).is_none_or(|start| comment.column > start.column));
    let belongs_to_next = above.is_none();
    let Some(notes) = notes.get_mut(above.unwrap_or(comment.next)) else { return };
    let is_after_blank = is_line_before_blank(document.text, comment.line);
    if belongs_to_next {
        if notes.above.is_empty() {
            notes.is_set_off = is_after_blank && comment.next > 0;
        } else if is_after_blank {
            notes.above.push(String::new());
        }
        notes.above.push(comment.text.clone());
    } else {
        if is_after_blank {
            notes.below.push(String::new());
        }
        notes.below.push(comment.text.clone());
    }
}

/// The innermost entry above a comment that is not indented more than the comment.
fn ending_before(starts: &[Start], comment: &OwnLine) -> Option<usize> {
    let mut index = comment.next.checked_sub(1)?;
    while let Some(start) = starts.get(index) {
        match start.parent {
            Some(parent) if start.column > comment.column => index = parent,
            _ => break,
        }
    }
    Some(index)
}

fn set_off(document: &Document<'_>, start: &Start) -> Notes {
    let line = line_start(document.text, start.at);
    let is_first_on_line = is_blank(document.text, line, start.at);
    let is_set_off = is_first_on_line
        && is_line_before_blank(document.text, line)
        && document.content_end(line) > 0;
    Notes { is_set_off, ..Notes::default() }
}

fn is_blank(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to).is_some_and(|between| between.trim().is_empty())
}

/// Whether the line before the one around `at` is blank.
fn is_line_before_blank(text: &str, at: usize) -> bool {
    let line = line_start(text, at);
    let Some(end) = line.checked_sub(1) else { return false };
    let before = line_start(text, end);
    is_blank(text, before, end)
}
