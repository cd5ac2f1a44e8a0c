//! JSON text as a tree that knows where everything stands.
//!
//! Comments and trailing commas are passed over, as many tools write them; anything else that is not JSON is refused,
//! because an edit of it would lose data.

use std::ops::Range;

use serde_json::Value;

use crate::{EditError, MAX_BYTES, MAX_DEPTH};

/// A value and its place.
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) content: Content,
}

/// What a value is.
pub(super) enum Content {
    Object { members: Vec<(String, Node)>, needs_comma: bool },
    Array { items: Vec<Node>, needs_comma: bool },
    Scalar,
}

/// Reads the first value of a text; `None` when there is nothing.
pub(super) fn read(text: &str) -> Result<Option<Node>, EditError> {
    if text.len() > MAX_BYTES {
        return Err(EditError::TooLarge);
    }
    let mut reader = Reader { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
    reader.skip_blanks()?;
    if reader.at == text.len() { Ok(None) } else { reader.node(0).map(Some) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn refused(&self, expected: &str) -> EditError {
        let line = self.text.get(..self.at).unwrap_or_default().matches('\n').count() + 1;
        EditError::Syntax { format: "JSON", reason: format!("line {line}: {expected} is missing") }
    }

    /// Passes over white space and comments.
    fn skip_blanks(&mut self) -> Result<(), EditError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                let end = trimmed.find("*/").ok_or_else(|| self.refused("the end of a comment"))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn node(&mut self, depth: usize) -> Result<Node, EditError> {
        if depth > MAX_DEPTH {
            return Err(EditError::TooDeep);
        }
        let start = self.at;
        let content = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => {
                self.string()?;
                Content::Scalar
            }
            _ => self.literal()?,
        };
        Ok(Node { span: start..self.at, content })
    }

    fn object(&mut self, depth: usize) -> Result<Content, EditError> {
        let mut members = Vec::new();
        let needs_comma = self.members(b'}', |reader| {
            let name = reader.string()?;
            reader.skip_blanks()?;
            if reader.peek() != Some(b':') {
                return Err(reader.refused("a colon"));
            }
            reader.at += 1;
            reader.skip_blanks()?;
            members.push((name, reader.node(depth + 1)?));
            Ok(())
        })?;
        Ok(Content::Object { members, needs_comma })
    }

    fn array(&mut self, depth: usize) -> Result<Content, EditError> {
        let mut items = Vec::new();
        let needs_comma = self.members(b']', |reader| {
            items.push(reader.node(depth + 1)?);
            Ok(())
        })?;
        Ok(Content::Array { items, needs_comma })
    }

    /// Reads what stands between brackets; says whether a further member needs a comma before it.
    fn members(
        &mut self,
        end: u8,
        mut member: impl FnMut(&mut Self) -> Result<(), EditError>,
    ) -> Result<bool, EditError> {
        self.at += 1;
        let mut needs_comma = false;
        loop {
            self.skip_blanks()?;
            match self.peek() {
                Some(byte) if byte == end => {
                    self.at += 1;
                    return Ok(needs_comma);
                }
                Some(b',') if needs_comma => {
                    self.at += 1;
                    needs_comma = false;
                }
                Some(_) if !needs_comma => {
                    member(self)?;
                    needs_comma = true;
                }
                _ => return Err(self.refused("a comma or the closing bracket")),
            }
        }
    }

    /// Reads a text in quotes, without its escapes.
    fn string(&mut self) -> Result<String, EditError> {
        let rest = self.rest();
        let mut is_escaped = false;
        let mut bytes = rest.bytes().enumerate();
        if bytes.next().is_none_or(|(_, first)| first != b'"') {
            return Err(self.refused("a text in quotes"));
        }
        for (offset, byte) in bytes {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                b'"' => {
                    let quoted = rest.get(..=offset).unwrap_or_default();
                    self.at += quoted.len();
                    let inner = || quoted.trim_matches('"').to_owned();
                    return Ok(serde_json::from_str(quoted).unwrap_or_else(|_| inner()));
                }
                _ => {}
            }
        }
        Err(self.refused("a closing quote"))
    }

    /// Reads a number, a truth value or null.
    fn literal(&mut self) -> Result<Content, EditError> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let literal = rest.get(..rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
        let literal = literal.unwrap_or_default();
        if serde_json::from_str::<Value>(literal).is_err() {
            return Err(self.refused("a value"));
        }
        self.at += literal.len();
        Ok(Content::Scalar)
    }
}
