//! Numbers.

use crate::error::Error;
use crate::lexer::{Lexer, TokenKind, is_alphanumeric};

impl<'a> Lexer<'a> {
    /// A number as it is written. What it means, if anything, is the parser's business.
    pub(super) fn number(&mut self) -> Result<TokenKind<'a>, Error> {
        let start = self.position;
        if self.rest().starts_with('.') {
            self.position += 1;
        }
        let accept = self.base();
        self.take_while(accept);
        if self.rest().starts_with('.') && !self.rest().starts_with("..") {
            self.position += 1;
            self.take_while(accept);
        }
        if self.rest().starts_with(['e', 'E']) {
            self.position += 1;
            if self.rest().starts_with(['+', '-']) {
                self.position += 1;
            }
            self.take_while(accept);
        }
        if let Some(next) = self.peek().filter(|next| is_alphanumeric(*next)) {
            self.position += next.len_utf8();
            return Err(self.error(start, "bad number syntax"));
        }
        Ok(TokenKind::Number(self.source.get(start..self.position).unwrap_or_default()))
    }

    /// Skips the prefix of a base and says which digits the base has.
    fn base(&mut self) -> fn(char) -> bool {
        let prefix = self.rest().get(..2).unwrap_or_default();
        let accept: fn(char) -> bool = match prefix {
            "0x" | "0X" => |character| character.is_ascii_hexdigit() || character == '_',
            "0o" | "0O" => |character| matches!(character, '0'..='7' | '_'),
            "0b" | "0B" => |character| matches!(character, '0' | '1' | '_'),
            _ => return |character| character.is_ascii_digit() || character == '_',
        };
        self.position += 2;
        accept
    }
}
