//! Literals, names, parentheses, `let`, `if` and the ternary operator.

use std::ops::Range;

use crate::ast::{Kind, NodeId, Pointer};
use crate::error::Error;
use crate::lexer::TokenKind;
use crate::parser::Parser;
use crate::parser::operator::unary;

impl Parser<'_> {
    pub(super) fn variable(&mut self) -> Result<NodeId, Error> {
        self.expect_operator("let")?;
        let (name, range) = self.expect_name()?;
        self.expect_operator("=")?;
        let value = self.expression(0)?;
        self.expect_operator(";")?;
        let body = self.sequence()?;
        self.add(Kind::Let { name: name.into(), value, body }, range)
    }

    pub(super) fn if_block(&mut self) -> Result<NodeId, Error> {
        let range = self.advance()?.range;
        let condition = self.expression(0)?;
        let then = self.block()?;
        self.expect_operator("else")?;
        let otherwise = if self.current.is_operator("if") {
            self.nested(Self::if_block)?
        } else {
            self.block()?
        };
        self.add(Kind::If { condition, then, otherwise, ternary: false }, range)
    }

    fn block(&mut self) -> Result<NodeId, Error> {
        self.expect_bracket('{')?;
        let body = self.sequence()?;
        self.expect_bracket('}')?;
        Ok(body)
    }

    /// `a ? b : c`, or `a ?: c`, which is `a ? a : c`.
    pub(super) fn ternary(&mut self, mut node: NodeId) -> Result<NodeId, Error> {
        while self.current.is_operator("?") {
            let range = self.advance()?.range;
            let then = if self.current.is_operator(":") { node } else { self.expression(0)? };
            self.expect_operator(":")?;
            let otherwise = self.expression(0)?;
            node = self.add(Kind::If { condition: node, then, otherwise, ternary: true }, range)?;
        }
        Ok(node)
    }

    pub(super) fn primary(&mut self) -> Result<NodeId, Error> {
        match self.current.kind {
            TokenKind::Operator("::") => {
                self.advance()?;
                let (name, range) = self.expect_name()?;
                let call = self.call(name, range, Vec::new(), false)?;
                self.postfix(call)
            }
            TokenKind::Operator(symbol @ ("#" | ".")) if self.predicates > 0 => {
                self.pointer(symbol == "#")
            }
            TokenKind::Operator(symbol) => {
                let Some((operator, precedence)) = unary(symbol) else {
                    return Err(self.unexpected());
                };
                let range = self.advance()?.range;
                let operand = self.expression(precedence)?;
                let node = self.add(Kind::Unary { operator, operand }, range)?;
                self.postfix(node)
            }
            TokenKind::Bracket('(') => {
                self.advance()?;
                let node = self.sequence()?;
                self.expect_bracket(')')?;
                self.postfix(node)
            }
            _ => self.literal(),
        }
    }

    /// `#`, `#index`, `#acc`, or the dot of `.field`, which is left for the field.
    fn pointer(&mut self, is_named: bool) -> Result<NodeId, Error> {
        let mut range = self.current.range.clone();
        let mut pointer = Pointer::Item;
        if is_named {
            self.advance()?;
            if let TokenKind::Name(name) = self.current.kind {
                range.end = self.advance()?.range.end;
                pointer = match name {
                    "index" => Pointer::Index,
                    "acc" => Pointer::Accumulator,
                    _ => Pointer::Unknown(name.into()),
                };
            }
        }
        let node = self.add(Kind::Pointer(pointer), range)?;
        self.postfix(node)
    }

    fn literal(&mut self) -> Result<NodeId, Error> {
        let node = match self.current.kind.clone() {
            TokenKind::Name(name) => {
                let range = self.advance()?.range;
                match name {
                    "true" => return self.add(Kind::Bool(true), range),
                    "false" => return self.add(Kind::Bool(false), range),
                    "nil" => return self.add(Kind::Nil, range),
                    _ if self.current.is_bracket('(') => {
                        self.call(name, range, Vec::new(), true)?
                    }
                    _ => self.add(Kind::Name(name.into()), range)?,
                }
            }
            TokenKind::Number(text) => {
                let range = self.advance()?.range;
                let kind = number(text).map_err(|message| self.error_at(range.clone(), message))?;
                return self.add(kind, range);
            }
            TokenKind::Text(text) => {
                let range = self.advance()?.range;
                self.add(Kind::Text(text), range)?
            }
            TokenKind::Bytes(bytes) => {
                let range = self.advance()?.range;
                self.add(Kind::Bytes(bytes), range)?
            }
            TokenKind::Bracket('[') => self.list()?,
            TokenKind::Bracket('{') => self.map()?,
            _ => return Err(self.unexpected()),
        };
        self.postfix(node)
    }

    fn error_at(&self, range: Range<usize>, message: &str) -> Error {
        Error { range, ..self.error(message) }
    }

    fn list(&mut self) -> Result<NodeId, Error> {
        let range = self.advance()?.range;
        let mut items = Vec::new();
        while !self.current.is_bracket(']') {
            if !items.is_empty() {
                self.expect_operator(",")?;
                if self.current.is_bracket(']') {
                    break;
                }
            }
            items.push(self.expression(0)?);
        }
        let end = self.advance()?.range.end;
        self.add(Kind::List(items.into()), range.start..end)
    }

    fn map(&mut self) -> Result<NodeId, Error> {
        let range = self.advance()?.range;
        let mut entries = Vec::new();
        while !self.current.is_bracket('}') {
            if !entries.is_empty() {
                self.expect_operator(",")?;
                if self.current.is_bracket('}') {
                    break;
                }
            }
            let key = self.map_key()?;
            self.expect_operator(":")?;
            entries.push((key, self.expression(0)?));
        }
        let end = self.advance()?.range.end;
        self.add(Kind::Map(entries.into()), range.start..end)
    }

    fn map_key(&mut self) -> Result<NodeId, Error> {
        let text = match self.current.kind.clone() {
            TokenKind::Name(text) | TokenKind::Number(text) => text.into(),
            TokenKind::Text(text) => text,
            TokenKind::Bracket('(') => return self.expression(0),
            _ => {
                return Err(self.error(format!(
                    "a map key must be a quoted string, a number, an identifier, or an expression \
                     enclosed in parentheses (unexpected token {})",
                    self.current
                )));
            }
        };
        let range = self.advance()?.range;
        self.add(Kind::Text(text), range)
    }
}

/// What a number literal means.
fn number(text: &str) -> Result<Kind, &'static str> {
    let lower = text.replace('_', "").to_ascii_lowercase();
    let whole = |digits: &str, radix, message| {
        i64::from_str_radix(digits, radix).map(Kind::Int).map_err(|_| message)
    };
    if let Some(digits) = lower.strip_prefix("0x") {
        whole(digits, 16, "invalid hex literal")
    } else if lower.contains(['.', 'e']) {
        match lower.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Kind::Float(number)),
            _ => Err("invalid float literal"),
        }
    } else if let Some(digits) = lower.strip_prefix("0b") {
        whole(digits, 2, "invalid binary literal")
    } else if let Some(digits) = lower.strip_prefix("0o") {
        whole(digits, 8, "invalid octal literal")
    } else {
        whole(&lower, 10, "invalid integer literal")
    }
}
