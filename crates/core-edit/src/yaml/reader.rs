//! From the events of the parser to a tree.

use std::ops::Range;

use granit_parser::{Event, Parser, Span, StrInput, StructureStyle, Tag};

use super::tree::{Anchor, Content, Document, Entry, Node, TagToken, line_start};
use crate::{EditError, MAX_BYTES, MAX_DEPTH};

/// Reads the first document of a text.
pub(crate) fn read(text: &str) -> Result<Document<'_>, EditError> {
    if text.len() > MAX_BYTES {
        return Err(EditError::TooLarge);
    }
    let options = granit_parser::options! {
        emit_anchor_events: true,
        emit_comments: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        // A long comment is no reason to refuse a file; the size of the file bounds it.
        max_buffered_comment_events: MAX_BYTES,
    };
    let mut reader = Reader {
        text,
        events: Parser::new_from_str_with_options(text, options),
        comments: Vec::new(),
    };
    let root = reader.root()?;
    let mut comments = reader.comments;
    comments.sort_by_key(|comment| comment.start);
    comments.dedup();
    Ok(Document { text, root, comments })
}

struct Reader<'t> {
    text: &'t str,
    events: Parser<'t, StrInput<'t>>,
    comments: Vec<Range<usize>>,
}

impl<'t> Reader<'t> {
    fn root(&mut self) -> Result<Option<Node<'t>>, EditError> {
        let mut root = None;
        loop {
            match self.next()? {
                (Event::StreamEnd | Event::DocumentEnd, _) => return Ok(root),
                (event, span) if event.is_node() => root = Some(self.node(event, span, 0)?),
                _ => {}
            }
        }
    }

    /// The next event that is no comment.
    fn next(&mut self) -> Result<(Event<'t>, Span), EditError> {
        loop {
            match self.events.next() {
                Some(Ok((Event::Comment(..), span))) => self.comments.push(range(&span)),
                Some(Ok(event)) => return Ok(event),
                Some(Err(error)) => return Err(EditError::yaml(&error)),
                None => return Ok((Event::StreamEnd, Span::default())),
            }
        }
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Node<'t>, EditError> {
        if depth > MAX_DEPTH {
            return Err(EditError::TooDeep);
        }
        let tag = tag(event.tag(), &span);
        let anchor = match event.anchor_id() {
            Some(id) if id != 0 => self.anchor(id)?,
            _ => None,
        };
        let mut place = range(&span);
        let content = match event {
            Event::Scalar(text, style, ..) => Content::Scalar { text, style },
            Event::SequenceStart(style, ..) => {
                let (items, end) = self.items(depth)?;
                place.end = end;
                Content::Sequence { items, is_flow: style == StructureStyle::Flow }
            }
            Event::MappingStart(style, ..) => {
                let (entries, end) = self.entries(depth)?;
                place.end = end;
                let is_flow = style == StructureStyle::Flow;
                if !is_flow {
                    self.refuse_tabs(&entries)?;
                }
                Content::Mapping { entries, is_flow }
            }
            Event::Alias(id) => Content::Alias(id),
            // Only what `is_node` named comes here.
            _ => return Err(EditError::Syntax { format: "YAML", reason: "no value".to_owned() }),
        };
        Ok(Node { span: place, anchor, tag, content })
    }

    /// The name of an anchor, which the parser tells right after the node.
    fn anchor(&mut self, id: usize) -> Result<Option<Anchor<'t>>, EditError> {
        match self.next()? {
            (Event::Anchor(_, name), span) => Ok(Some(Anchor { id, name, span: range(&span) })),
            _ => Err(EditError::Syntax { format: "YAML", reason: "an anchor is lost".to_owned() }),
        }
    }

    fn items(&mut self, depth: usize) -> Result<(Vec<Node<'t>>, usize), EditError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd | Event::StreamEnd, span) => {
                    return Ok((items, range(&span).end));
                }
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn entries(&mut self, depth: usize) -> Result<(Vec<Entry<'t>>, usize), EditError> {
        let mut entries = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd | Event::StreamEnd) {
                return Ok((entries, range(&span).end));
            }
            let column = span.indent.unwrap_or_else(|| span.start.col());
            let key = self.node(event, span, depth + 1)?;
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            entries.push(Entry { key, value, column });
        }
    }

    /// Tabs do not indent: other readers refuse them, so what they would mean is nobody's guess.
    fn refuse_tabs(&self, entries: &[Entry<'t>]) -> Result<(), EditError> {
        let is_behind_tab = |entry: &Entry<'_>| {
            let start = entry.key.start();
            let before = self.text.get(line_start(self.text, start)..start).unwrap_or_default();
            before.contains('\t') && before.trim().is_empty()
        };
        if entries.iter().any(is_behind_tab) {
            let reason = "a tab stands before a key: indent with spaces".to_owned();
            return Err(EditError::Syntax { format: "YAML", reason });
        }
        Ok(())
    }
}

/// The bytes of a span; texts in memory always have them.
fn range(span: &Span) -> Range<usize> {
    span.byte_range().unwrap_or_default()
}

fn tag(tag: Option<&Tag>, span: &Span) -> Option<TagToken> {
    let place = span.tag_span().map(|place| range(&place))?;
    Some(TagToken { tag: tag?.clone(), span: place })
}
