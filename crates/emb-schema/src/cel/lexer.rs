//! Characters to tokens.

use super::program::CompileError;

/// A token and where it starts, in characters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) at: usize,
    pub(super) kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Name(String),
    Int(String),
    Uint(String),
    Double(String),
    Text(String),
    Bytes(Vec<u8>),
    /// An operator or a bracket.
    Mark(&'static str),
    End,
}

/// Longest first, so that `<=` is not read as `<`.
const MARKS: [&str; 27] = [
    "&&", "||", "==", "!=", "<=", ">=", ".?", "[?", "(", ")", "[", "]", "{", "}", ".", ",", ":",
    "?", "+", "-", "*", "/", "%", "!", "<", ">", "=",
];

pub(super) fn tokenize(source: &str) -> Result<Vec<Token>, CompileError> {
    let mut lexer = Lexer { characters: source.chars().collect(), at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank();
        let at = lexer.at;
        let kind = lexer.token()?;
        let done = kind == TokenKind::End;
        tokens.push(Token { at, kind });
        if done {
            return Ok(tokens);
        }
    }
}

fn error<T>(at: usize, problem: &str) -> Result<T, CompileError> {
    Err(CompileError { at, problem: format!("Syntax error: {problem}") })
}

struct Lexer {
    characters: Vec<char>,
    at: usize,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, next)| self.peek(ahead) == Some(next))
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(&accept) {
            self.at += 1;
        }
        self.characters.get(start..self.at).unwrap_or_default().iter().collect()
    }

    fn skip_blank(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.starts_with("//") {
                return;
            }
            self.take_while(|next| next != '\n');
        }
    }

    fn token(&mut self) -> Result<TokenKind, CompileError> {
        let Some(first) = self.peek(0) else { return Ok(TokenKind::End) };
        if let Some(text) = self.prefixed_text() {
            return text;
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let name = self.take_while(|next| next.is_ascii_alphanumeric() || next == '_');
            return Ok(TokenKind::Name(name));
        }
        let starts_fraction =
            first == '.' && self.peek(1).is_some_and(|next| next.is_ascii_digit());
        if first.is_ascii_digit() || starts_fraction {
            return Ok(self.number());
        }
        for mark in MARKS {
            if self.starts_with(mark) {
                self.at += mark.chars().count();
                return Ok(TokenKind::Mark(mark));
            }
        }
        error(self.at, &format!("token recognition error at: '{first}'"))
    }

    fn number(&mut self) -> TokenKind {
        if self.starts_with("0x") || self.starts_with("0X") {
            self.at += 2;
            let digits = format!("0x{}", self.take_while(|next| next.is_ascii_hexdigit()));
            return self.whole(digits);
        }
        let mut text = self.take_while(|next| next.is_ascii_digit());
        let mut is_double = false;
        if self.peek(0) == Some('.') && self.peek(1).is_some_and(|next| next.is_ascii_digit()) {
            is_double = true;
            self.at += 1;
            text = format!("{text}.{}", self.take_while(|next| next.is_ascii_digit()));
        }
        let sign = usize::from(matches!(self.peek(1), Some('+' | '-')));
        let has_exponent = matches!(self.peek(0), Some('e' | 'E'))
            && self.peek(1 + sign).is_some_and(|next| next.is_ascii_digit());
        if has_exponent {
            is_double = true;
            text.push('e');
            text.extend(self.peek(1).filter(|_| sign == 1));
            self.at += 1 + sign;
            text.push_str(&self.take_while(|next| next.is_ascii_digit()));
        }
        if is_double { TokenKind::Double(text) } else { self.whole(text) }
    }

    fn whole(&mut self, digits: String) -> TokenKind {
        if matches!(self.peek(0), Some('u' | 'U')) {
            self.at += 1;
            return TokenKind::Uint(digits);
        }
        TokenKind::Int(digits)
    }

    /// A string or bytes literal, if one starts here.
    fn prefixed_text(&mut self) -> Option<Result<TokenKind, CompileError>> {
        let mut raw = false;
        let mut bytes = false;
        let mut ahead = 0;
        loop {
            match self.peek(ahead)? {
                'r' | 'R' if !raw => raw = true,
                'b' | 'B' if !bytes => bytes = true,
                '\'' | '"' => break,
                _ => return None,
            }
            ahead += 1;
        }
        let start = self.at;
        self.at += ahead;
        Some(self.quoted(start, raw, bytes))
    }

    fn quoted(&mut self, start: usize, raw: bool, bytes: bool) -> Result<TokenKind, CompileError> {
        let quote = self.peek(0).unwrap_or('"');
        let is_long = self.peek(1) == Some(quote) && self.peek(2) == Some(quote);
        let width = if is_long { 3 } else { 1 };
        self.at += width;
        let mut content = Content { text: String::new(), bytes: Vec::new(), is_bytes: bytes };
        loop {
            let Some(next) = self.peek(0) else {
                return error(start, "unterminated string literal");
            };
            let closes = (0..width).all(|ahead| self.peek(ahead) == Some(quote));
            if closes {
                self.at += width;
                break;
            }
            self.at += 1;
            match next {
                '\n' | '\r' if !is_long => {
                    return error(start, "unterminated string literal");
                }
                '\\' if raw && self.peek(0) == Some(quote) => {
                    content.push('\\');
                    content.push(quote);
                    self.at += 1;
                }
                '\\' if !raw => self.escaped(start, &mut content)?,
                other => content.push(other),
            }
        }
        Ok(if bytes { TokenKind::Bytes(content.bytes) } else { TokenKind::Text(content.text) })
    }

    fn escaped(&mut self, start: usize, content: &mut Content) -> Result<(), CompileError> {
        let Some(escape) = self.peek(0) else { return Ok(()) };
        self.at += 1;
        let plain = match escape {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\\' | '\'' | '"' | '`' | '?' => escape,
            'x' | 'X' => return self.coded(start, 2, 16, content),
            'u' => return self.coded(start, 4, 16, content),
            'U' => return self.coded(start, 8, 16, content),
            '0'..='3' => {
                self.at -= 1;
                return self.coded(start, 3, 8, content);
            }
            _ => return error(start, "invalid escape sequence"),
        };
        content.push(plain);
        Ok(())
    }

    fn coded(
        &mut self,
        start: usize,
        width: usize,
        radix: u32,
        content: &mut Content,
    ) -> Result<(), CompileError> {
        let digits: String =
            self.characters.get(self.at..self.at + width).unwrap_or_default().iter().collect();
        self.at += width;
        match u32::from_str_radix(&digits, radix).ok().filter(|_| digits.len() == width) {
            Some(code) if content.push_code(code) => Ok(()),
            _ => error(start, "invalid escape sequence"),
        }
    }
}

/// What a literal holds so far.
struct Content {
    text: String,
    bytes: Vec<u8>,
    is_bytes: bool,
}

impl Content {
    fn push(&mut self, character: char) {
        if self.is_bytes {
            self.bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            self.text.push(character);
        }
    }

    fn push_code(&mut self, code: u32) -> bool {
        if self.is_bytes {
            self.bytes.extend(u8::try_from(code));
            return code <= 255;
        }
        self.text.extend(char::from_u32(code));
        char::from_u32(code).is_some()
    }
}
