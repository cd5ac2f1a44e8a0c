//! A YAML document as a tree that knows where everything stands.

use std::{borrow::Cow, ops::Range};

use granit_parser::{ScalarStyle, Tag};

/// The first document of a text.
pub(crate) struct Document<'t> {
    pub(crate) text: &'t str,
    /// `None` when there are only comments.
    pub(crate) root: Option<Node<'t>>,
    /// Where comments stand, from `#` to the end of the line, in their order.
    pub(crate) comments: Vec<Range<usize>>,
}

/// A value, or a key of a mapping.
pub(crate) struct Node<'t> {
    /// Where the content stands, without anchor and tag. Of a block scalar these are its lines without the header;
    /// of a block collection it ends where the next thing begins.
    pub(crate) span: Range<usize>,
    pub(crate) anchor: Option<Anchor<'t>>,
    pub(crate) tag: Option<TagToken>,
    pub(crate) content: Content<'t>,
}

/// `&name` before a node.
pub(crate) struct Anchor<'t> {
    pub(crate) id: usize,
    pub(crate) name: Cow<'t, str>,
    pub(crate) span: Range<usize>,
}

/// `!tag` before a node.
pub(crate) struct TagToken {
    pub(crate) tag: Tag,
    pub(crate) span: Range<usize>,
}

/// What a node is.
pub(crate) enum Content<'t> {
    Scalar {
        text: Cow<'t, str>,
        style: ScalarStyle,
    },
    Sequence {
        items: Vec<Node<'t>>,
        is_flow: bool,
    },
    Mapping {
        entries: Vec<Entry<'t>>,
        is_flow: bool,
    },
    /// `*name`, with the number of its anchor.
    Alias(usize),
}

/// A key and its value.
pub(crate) struct Entry<'t> {
    pub(crate) key: Node<'t>,
    pub(crate) value: Node<'t>,
    /// The column of the key, where the mapping has one: in block style.
    pub(crate) column: usize,
}

impl Document<'_> {
    /// Where the last thing before `at` ends that is neither blank nor a comment.
    pub(crate) fn content_end(&self, at: usize) -> usize {
        let mut end = at;
        loop {
            end = self.text.get(..end).unwrap_or_default().trim_end().len();
            match self.comment_before(end) {
                Some(comment) if comment.end >= end && comment.start < end => end = comment.start,
                _ => return end,
            }
        }
    }

    /// The last comment that starts before `at`.
    fn comment_before(&self, at: usize) -> Option<&Range<usize>> {
        let count = self.comments.partition_point(|comment| comment.start < at);
        self.comments.get(count.checked_sub(1)?)
    }

    /// The indicators of a block scalar, such as `|2-`: the last thing on the line above its lines. The span of one
    /// without lines begins with them.
    pub(crate) fn block_header(&self, scalar: &Node<'_>) -> Range<usize> {
        let span = self.text.get(scalar.span.clone()).unwrap_or_default();
        let is_blank = scalar.scalar_text().is_some_and(|text| text.trim_end().is_empty());
        if is_blank && span.starts_with(['|', '>']) {
            let is_indicator = |c: char| matches!(c, '|' | '>' | '+' | '-') || c.is_ascii_digit();
            let length = span.find(|c| !is_indicator(c)).unwrap_or(span.len());
            return scalar.span.start..scalar.span.start + length;
        }
        let lines = match &scalar.span {
            span if span.is_empty() => span.start,
            span => line_start(self.text, span.start),
        };
        let end = self.content_end(lines);
        let before = self.text.get(..end).unwrap_or_default();
        before.rfind(['|', '>']).unwrap_or(end)..end
    }
}

/// Where the line around `at` begins.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

impl Node<'_> {
    /// Whether nothing at all stands where a value could.
    pub(crate) fn is_empty_scalar(&self) -> bool {
        let is_plain = matches!(self.content, Content::Scalar { style: ScalarStyle::Plain, .. });
        is_plain && self.span.is_empty()
    }

    /// The text of a scalar, as a reader of the document gets it; an empty one has none.
    pub(crate) fn scalar_text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar { .. } if self.is_empty_scalar() => Some(""),
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// What it is, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self.content {
            Content::Scalar { .. } => "a scalar",
            Content::Sequence { .. } => "a list",
            Content::Mapping { .. } => "a mapping",
            Content::Alias(_) => "an alias",
        }
    }

    /// Where anchor, tag or content begins, whichever is first.
    pub(crate) fn start(&self) -> usize {
        let anchor = self.anchor.as_ref().map(|anchor| anchor.span.start);
        let tag = self.tag.as_ref().map(|tag| tag.span.start);
        [anchor, tag].into_iter().flatten().fold(self.span.start, usize::min)
    }

    /// Where anchor and tag end, if there are any.
    pub(crate) fn properties_end(&self) -> Option<usize> {
        let anchor = self.anchor.as_ref().map(|anchor| anchor.span.end);
        let tag = self.tag.as_ref().map(|tag| tag.span.end);
        anchor.max(tag)
    }
}
