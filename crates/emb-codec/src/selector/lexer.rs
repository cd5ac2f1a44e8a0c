//! Splits a label selector into tokens.

/// A token. In a place for values `in` and `notin` are plain words, so words keep their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A key, a value, or one of the words `in` and `notin`.
    Word(&'t str),
    /// Punctuation: one of `( ) , ! = == != > <`.
    Symbol(&'t str),
    /// Nothing is left.
    End,
}

impl<'t> Token<'t> {
    /// The token as it stands in the text; empty at the end.
    pub(crate) fn text(self) -> &'t str {
        match self {
            Self::Word(text) | Self::Symbol(text) => text,
            Self::End => "",
        }
    }
}

/// Hands out the tokens of a text one by one; after the last one only [`Token::End`].
#[derive(Debug)]
pub(crate) struct Lexer<'t> {
    rest: &'t str,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { rest: text }
    }

    /// The next token, which stays next.
    pub(crate) fn peek(&self) -> Token<'t> {
        self.scan().0
    }

    /// The next token, which is consumed.
    pub(crate) fn next(&mut self) -> Token<'t> {
        let (token, rest) = self.scan();
        self.rest = rest;
        token
    }

    fn scan(&self) -> (Token<'t>, &'t str) {
        let text = self.rest.trim_start_matches(is_space);
        let Some(first) = text.chars().next() else { return (Token::End, text) };
        if is_symbol(first) {
            let length = if text.starts_with("==") || text.starts_with("!=") { 2 } else { 1 };
            return split(text, length, Token::Symbol);
        }
        let length = text.find(|c| is_symbol(c) || is_space(c)).unwrap_or(text.len());
        split(text, length, Token::Word)
    }
}

fn split<'t>(
    text: &'t str,
    length: usize,
    token: impl Fn(&'t str) -> Token<'t>,
) -> (Token<'t>, &'t str) {
    let (taken, rest) = text.split_at(length);
    (token(taken), rest)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_symbol(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}
