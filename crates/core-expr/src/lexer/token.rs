//! Tokens.

use std::fmt;
use std::ops::Range;

use crate::text::Text;

/// A token and its place in the source text.
#[derive(Clone, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind<'a>,
    pub(crate) range: Range<usize>,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind<'a> {
    End,
    Name(&'a str),
    Operator(&'a str),
    Bracket(char),
    /// A number as written.
    Number(&'a str),
    Text(Text),
    Bytes(Text),
}

impl Token<'_> {
    pub(crate) fn is_operator(&self, operator: &str) -> bool {
        matches!(self.kind, TokenKind::Operator(found) if found == operator)
    }

    pub(crate) fn is_bracket(&self, bracket: char) -> bool {
        self.kind == TokenKind::Bracket(bracket)
    }
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TokenKind::End => f.write_str("end of expression"),
            TokenKind::Name(text) => write!(f, "name {text:?}"),
            TokenKind::Operator(text) => write!(f, "operator {text:?}"),
            TokenKind::Bracket(bracket) => write!(f, "bracket {bracket:?}"),
            TokenKind::Number(text) => write!(f, "number {text:?}"),
            TokenKind::Text(_) => f.write_str("text"),
            TokenKind::Bytes(_) => f.write_str("bytes"),
        }
    }
}
