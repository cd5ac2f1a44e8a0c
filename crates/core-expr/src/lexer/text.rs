//! Text and byte literals.

use crate::error::Error;
use crate::lexer::{Lexer, TokenKind};

/// What an escape stands for.
enum Escaped {
    Character(char),
    /// A number below 256: a byte in byte literals, a character in text.
    Byte(u8),
}

impl<'a> Lexer<'a> {
    /// A text in single or double quotes.
    pub(super) fn quoted(&mut self, quote: char) -> Result<TokenKind<'a>, Error> {
        let mut text = String::new();
        self.scan(quote, true, |escaped| match escaped {
            Escaped::Character(character) => text.push(character),
            Escaped::Byte(byte) => text.push(char::from(byte)),
        })?;
        Ok(TokenKind::Text(text.into()))
    }

    /// Bytes in single or double quotes, after their `b`.
    pub(super) fn quoted_bytes(&mut self) -> Result<TokenKind<'a>, Error> {
        let quote = self.peek().unwrap_or('"');
        let mut bytes = Vec::new();
        self.scan(quote, false, |escaped| match escaped {
            Escaped::Character(character) => {
                bytes.extend(character.encode_utf8(&mut [0; 4]).bytes());
            }
            Escaped::Byte(byte) => bytes.push(byte),
        })?;
        Ok(TokenKind::Bytes(bytes.into()))
    }

    fn scan(
        &mut self,
        quote: char,
        with_unicode: bool,
        mut push: impl FnMut(Escaped),
    ) -> Result<(), Error> {
        let start = self.position;
        self.position += 1;
        loop {
            let Some(character) = self.peek().filter(|character| *character != '\n') else {
                return Err(self.error(start, "literal not terminated"));
            };
            self.position += character.len_utf8();
            match character {
                '\\' => push(self.escape(quote, with_unicode)?),
                '\r' => push(Escaped::Character('\n')), // line ends are normalised
                _ if character == quote => return Ok(()),
                _ => push(Escaped::Character(character)),
            }
        }
    }

    fn escape(&mut self, quote: char, with_unicode: bool) -> Result<Escaped, Error> {
        let start = self.position.saturating_sub(1);
        let invalid = |lexer: &Self| lexer.error(start, "invalid char escape");
        let Some(character) = self.peek() else { return Err(invalid(self)) };
        self.position += character.len_utf8();
        let plain = match character {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\\' => '\\',
            _ if character == quote => quote,
            'x' => return self.byte(2, 16).ok_or_else(|| invalid(self)),
            '0'..='3' => {
                self.position -= 1;
                return self.byte(3, 8).ok_or_else(|| invalid(self));
            }
            'u' | 'U' if with_unicode => {
                let code = self.code(character).ok_or_else(|| invalid(self))?;
                // Halves of surrogate pairs are no characters.
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(invalid(self)),
        };
        Ok(Escaped::Character(plain))
    }

    fn byte(&mut self, length: usize, radix: u32) -> Option<Escaped> {
        let code = self.digits(length, radix)?;
        u8::try_from(code).ok().map(Escaped::Byte)
    }

    fn code(&mut self, kind: char) -> Option<u32> {
        let code = if kind == 'u' && self.rest().starts_with('{') {
            let end = self.rest().find('}').filter(|end| (2..=7).contains(end))?;
            self.position += 1;
            let code = self.digits(end - 1, 16)?;
            self.position += 1;
            code
        } else {
            self.digits(if kind == 'u' { 4 } else { 8 }, 16)?
        };
        (code <= u32::from(char::MAX)).then_some(code)
    }

    fn digits(&mut self, length: usize, radix: u32) -> Option<u32> {
        let digits = self.rest().get(..length)?;
        if !digits.chars().all(|digit| digit.is_digit(radix)) {
            return None;
        }
        self.position += length;
        u32::from_str_radix(digits, radix).ok()
    }

    /// A text in back quotes, in which only the back quote is special: twice is once.
    pub(super) fn raw(&mut self) -> Result<TokenKind<'a>, Error> {
        let start = self.position;
        self.position += 1;
        let mut text = String::new();
        loop {
            let Some((part, rest)) = self.rest().split_once('`') else {
                self.position = self.source.len();
                return Err(self.error(start, "literal not terminated"));
            };
            text.push_str(part);
            self.position += part.len() + 1;
            if !rest.starts_with('`') {
                return Ok(TokenKind::Text(text.into()));
            }
            text.push('`');
            self.position += 1;
        }
    }
}
