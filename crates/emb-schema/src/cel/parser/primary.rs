//! Literals, names, and what stands in brackets.

use super::{Parsed, Parser, error, grown};
use crate::cel::{
    ast::{Expr, Kind, Literal, Style},
    escape,
    lexer::TokenKind,
};

impl Parser {
    pub(super) fn primary(&mut self) -> Parsed {
        let at = self.at();
        let kind = match self.advance() {
            TokenKind::Mark("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            TokenKind::Mark("[") => Kind::List(self.arguments("]")?),
            TokenKind::Mark("{") => Kind::Map(self.entries()?),
            TokenKind::Name(name) => return self.name(name, at),
            TokenKind::Int(digits) => match integer(&digits) {
                Some(number) => Kind::Literal(Literal::Int(number)),
                None => return error(at, "invalid int literal"),
            },
            TokenKind::Uint(digits) => match unsigned(&digits) {
                Some(number) => Kind::Literal(Literal::Uint(number)),
                None => return error(at, "invalid uint literal"),
            },
            TokenKind::Double(digits) => match digits.parse() {
                Ok(number) => Kind::Literal(Literal::Double(number)),
                Err(_) => return error(at, "invalid double literal"),
            },
            TokenKind::Text(text) => Kind::Literal(Literal::Text(text.into())),
            TokenKind::Bytes(bytes) => Kind::Literal(Literal::Bytes(bytes.into())),
            other => {
                self.next -= 1;
                return self.unexpected(&other);
            }
        };
        grown(at, kind)
    }

    fn name(&mut self, name: String, at: usize) -> Parsed {
        let literal = match name.as_str() {
            "true" => Some(Literal::Bool(true)),
            "false" => Some(Literal::Bool(false)),
            "null" => Some(Literal::Null),
            reserved if escape::is_reserved(reserved) => {
                return error(at, &format!("reserved identifier: {reserved}"));
            }
            _ => None,
        };
        if let Some(literal) = literal {
            return grown(at, Kind::Literal(literal));
        }
        let call_at = self.at();
        if self.take("(") {
            let arguments = self.arguments(")")?;
            return Self::call(&name, Style::Global, arguments, call_at);
        }
        grown(at, Kind::Name(name.into()))
    }

    fn entries(&mut self) -> Parsed<Vec<(Expr, Expr)>> {
        let mut entries = Vec::new();
        while !self.take("}") {
            if !entries.is_empty() {
                self.expect(",")?;
                if self.take("}") {
                    break;
                }
            }
            let key = self.expression()?;
            self.expect(":")?;
            entries.push((key, self.expression()?));
        }
        Ok(entries)
    }
}

pub(super) fn integer(digits: &str) -> Option<i64> {
    match digits
        .strip_prefix("0x")
        .map(|hex| (hex, ""))
        .or_else(|| digits.strip_prefix("-0x").map(|hex| (hex, "-")))
    {
        Some((hex, sign)) => i64::from_str_radix(&format!("{sign}{hex}"), 16).ok(),
        None => digits.parse().ok(),
    }
}

fn unsigned(digits: &str) -> Option<u64> {
    match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}
