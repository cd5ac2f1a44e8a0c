//! What follows an operand: `.field`, `?.field`, `[index]`, `[from:to]`, and calls of methods.

use crate::ast::{Kind, Member, NodeId};
use crate::error::Error;
use crate::lexer::{TokenKind, is_name_start};
use crate::parser::Parser;

impl Parser<'_> {
    pub(super) fn postfix(&mut self, mut node: NodeId) -> Result<NodeId, Error> {
        loop {
            node = match self.current.kind {
                TokenKind::Operator(".") => {
                    self.advance()?;
                    self.field(node, false)?
                }
                TokenKind::Operator("?.") => {
                    self.advance()?;
                    if self.current.is_bracket('[') {
                        self.index(node, true)?
                    } else {
                        self.field(node, true)?
                    }
                }
                TokenKind::Bracket('[') => self.index(node, false)?,
                _ => return Ok(node),
            };
        }
    }

    fn field(&mut self, node: NodeId, optional: bool) -> Result<NodeId, Error> {
        let name = match self.current.kind {
            TokenKind::Name(name) => name,
            TokenKind::Operator(word) if word.starts_with(is_name_start) => word,
            _ => return Err(self.error("expected name")),
        };
        let range = self.advance()?.range;
        let property = self.add(Kind::Text(name.into()), range.clone())?;
        // A field after a chain becomes part of the chain.
        let (object, in_chain) = match self.ast.kind(node) {
            Kind::Chain(inner) => (*inner, true),
            _ => (node, false),
        };
        let method = self.current.is_bracket('(');
        let member = Member { object, property, optional, method };
        let mut result = self.add(Kind::Member(member), range.clone())?;
        if method {
            let arguments = self.arguments(Vec::new())?;
            let kind = Kind::Call { callee: result, arguments: arguments.into() };
            result = self.add(kind, range.clone())?;
        }
        if in_chain || optional { self.add(Kind::Chain(result), range) } else { Ok(result) }
    }

    fn index(&mut self, object: NodeId, optional: bool) -> Result<NodeId, Error> {
        let start = self.advance()?.range.start;
        let from = if self.current.is_operator(":") { None } else { Some(self.expression(0)?) };
        if self.current.is_operator(":") {
            self.advance()?;
            let to = if self.current.is_bracket(']') { None } else { Some(self.expression(0)?) };
            let range = start..self.current.range.end;
            self.expect_bracket(']')?;
            return self.add(Kind::Slice { object, from, to }, range);
        }
        let range = start..self.current.range.end;
        self.expect_bracket(']')?;
        let Some(property) = from else { return Err(self.unexpected()) };
        let member = Member { object, property, optional, method: false };
        let node = self.add(Kind::Member(member), range.clone())?;
        if optional { self.add(Kind::Chain(node), range) } else { Ok(node) }
    }
}
