//! From text to tokens, one at a time.

mod number;
mod text;
mod token;

use crate::error::{Error, ErrorKind};
use crate::go::{is_digit, is_letter};
pub(crate) use token::{Token, TokenKind};

/// Words that are operators.
const WORD_OPERATORS: [&str; 11] = [
    "not",
    "in",
    "or",
    "and",
    "matches",
    "contains",
    "startsWith",
    "endsWith",
    "let",
    "if",
    "else",
];

/// Reads tokens from a text.
#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    source: &'a str,
    position: usize,
    /// A `#` was just read; letters and digits right after it are its name.
    after_pointer: bool,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Self { source, position: 0, after_pointer: false }
    }

    /// The next token; [`TokenKind::End`] again and again at the end.
    pub(crate) fn next(&mut self) -> Result<Token<'a>, Error> {
        if std::mem::take(&mut self.after_pointer) && self.peek().is_some_and(is_alphanumeric) {
            let start = self.position;
            let name = self.take_while(is_alphanumeric);
            return Ok(self.token(start, TokenKind::Name(name)));
        }
        self.skip_blanks()?;
        let start = self.position;
        let Some(first) = self.peek() else {
            return Ok(self.token(start, TokenKind::End));
        };
        let kind = match first {
            '\'' | '"' => self.quoted(first)?,
            '`' => self.raw()?,
            'b' | 'B' if matches!(self.peek_second(), Some('\'' | '"')) => {
                self.position += 1;
                self.quoted_bytes()?
            }
            '0'..='9' => self.number()?,
            '.' if self.peek_second().is_some_and(|second| second.is_ascii_digit()) => {
                self.number()?
            }
            '(' | '[' | '{' | ')' | ']' | '}' => {
                self.position += 1;
                TokenKind::Bracket(first)
            }
            _ if is_alphanumeric(first) => self.word(),
            _ => self.operator(first)?,
        };
        Ok(self.token(start, kind))
    }

    fn token(&self, start: usize, kind: TokenKind<'a>) -> Token<'a> {
        Token { kind, range: start..self.position }
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.position..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn take_while(&mut self, accept: fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|character| !accept(character)).unwrap_or(rest.len());
        self.position += end;
        rest.get(..end).unwrap_or_default()
    }

    fn error(&self, start: usize, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Compile, start..self.position.max(start), message)
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) -> Result<(), Error> {
        loop {
            self.take_while(char::is_whitespace);
            let start = self.position;
            if self.rest().starts_with("//") {
                self.take_while(|character| character != '\n');
            } else if self.rest().starts_with("/*") {
                let end = self.rest().get(2..).and_then(|comment| comment.find("*/"));
                let Some(end) = end else {
                    self.position = self.source.len();
                    return Err(self.error(start, "unclosed comment"));
                };
                self.position += end + 4;
            } else {
                return Ok(());
            }
        }
    }

    fn word(&mut self) -> TokenKind<'a> {
        let word = self.take_while(is_alphanumeric);
        if WORD_OPERATORS.contains(&word) {
            TokenKind::Operator(word)
        } else {
            TokenKind::Name(word)
        }
    }

    fn operator(&mut self, first: char) -> Result<TokenKind<'a>, Error> {
        let seconds = match first {
            '|' => "|",
            ':' => ":",
            '#' => "#",
            '?' => ".?",
            '.' => ".",
            '&' | '!' | '=' | '*' | '<' | '>' => "&=*",
            ',' | ';' | '%' | '+' | '-' | '^' | '/' => "",
            _ => {
                let start = self.position;
                self.position += first.len_utf8();
                return Err(self.error(start, format!("unrecognized character: {first:?}")));
            }
        };
        let is_double = self.peek_second().is_some_and(|second| seconds.contains(second));
        let length = if is_double { 2 } else { 1 };
        let operator = self.rest().get(..length).unwrap_or_default();
        self.position += length;
        self.after_pointer = first == '#';
        Ok(TokenKind::Operator(operator))
    }
}

/// Whether a character may stand in a name.
pub(crate) fn is_alphanumeric(character: char) -> bool {
    is_name_start(character) || is_digit(character)
}

/// Whether a character may begin a name.
pub(crate) fn is_name_start(character: char) -> bool {
    matches!(character, '_' | '$') || is_letter(character)
}

#[cfg(test)]
mod tests;
