//! From tokens to a syntax tree, by operator precedence.

mod call;
mod operator;
mod postfix;
mod primary;

use std::ops::Range;

use crate::ast::{Ast, Binary, Kind, NodeId, Unary};
use crate::error::{Error, ErrorKind};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::library::Library;
use crate::limits::{MAX_DEPTH, MAX_NODES};
use operator::{Associativity, binary, is_comparison, is_negatable};

/// Reads one expression.
pub(crate) fn parse(source: &str, library: Library) -> Result<(Ast, NodeId), Error> {
    let mut parser = Parser {
        lexer: Lexer::new(source),
        current: Token { kind: TokenKind::End, range: 0..0 },
        stashed: None,
        library,
        ast: Ast::default(),
        depth: 0,
        predicates: 0,
    };
    parser.advance()?;
    let root = parser.sequence()?;
    match parser.current.kind {
        TokenKind::End => Ok((parser.ast, root)),
        _ => Err(parser.unexpected()),
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    current: Token<'a>,
    /// The token after the current one, when it had to be looked at.
    stashed: Option<Token<'a>>,
    library: Library,
    ast: Ast,
    depth: usize,
    /// How many predicates are open; `#` and `.field` only mean something in one.
    predicates: usize,
}

impl<'a> Parser<'a> {
    /// Goes to the next token and returns the one before it.
    fn advance(&mut self) -> Result<Token<'a>, Error> {
        let next = match self.stashed.take() {
            Some(token) => token,
            None => self.lexer.next()?,
        };
        Ok(std::mem::replace(&mut self.current, next))
    }

    fn unexpected(&self) -> Error {
        self.error(format!("unexpected token {}", self.current))
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Compile, self.current.range.clone(), message)
    }

    fn expect_operator(&mut self, operator: &str) -> Result<(), Error> {
        if self.current.is_operator(operator) {
            return self.advance().map(drop);
        }
        Err(self.unexpected())
    }

    fn expect_bracket(&mut self, bracket: char) -> Result<(), Error> {
        if self.current.is_bracket(bracket) {
            return self.advance().map(drop);
        }
        Err(self.unexpected())
    }

    fn expect_name(&mut self) -> Result<(&'a str, Range<usize>), Error> {
        match self.current.kind {
            TokenKind::Name(name) => Ok((name, self.advance()?.range)),
            _ => Err(self.unexpected()),
        }
    }

    fn add(&mut self, kind: Kind, range: Range<usize>) -> Result<NodeId, Error> {
        let limit = |message| Err(Error::new(ErrorKind::Limit, range.clone(), message));
        if self.ast.len() >= MAX_NODES {
            return limit("compilation failed: expression exceeds maximum allowed nodes");
        }
        let id = self.ast.add(kind, range.clone());
        if usize::from(self.ast.height(id)) > MAX_DEPTH {
            return limit("the expression is nested too deeply");
        }
        Ok(id)
    }

    /// Runs a rule one level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= MAX_DEPTH {
            let range = self.current.range.clone();
            return Err(Error::new(ErrorKind::Limit, range, "the expression is nested too deeply"));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// Expressions separated by semicolons; the last one counts.
    fn sequence(&mut self) -> Result<NodeId, Error> {
        let first = self.expression(0)?;
        let mut nodes = vec![first];
        while self.current.is_operator(";") {
            self.advance()?;
            if self.current.kind == TokenKind::End {
                break;
            }
            nodes.push(self.expression(0)?);
        }
        if nodes.len() == 1 {
            return Ok(first);
        }
        let range = self.ast.range(first);
        self.add(Kind::Sequence(nodes.into()), range)
    }

    /// An expression whose operators all bind at least as tightly as `precedence`.
    fn expression(&mut self, precedence: u16) -> Result<NodeId, Error> {
        self.nested(|parser| parser.expression_at(precedence))
    }

    fn expression_at(&mut self, precedence: u16) -> Result<NodeId, Error> {
        if precedence == 0 && self.current.is_operator("let") {
            return self.variable();
        }
        if precedence == 0 && self.current.is_operator("if") {
            return self.if_block();
        }
        let mut left = self.primary()?;
        let mut after_coalesce = false;
        while let Some(next) = self.next_operator(precedence)? {
            if next.symbol == "|" {
                let (name, range) = self.expect_name()?;
                left = self.call(name, range, vec![left], true)?;
            } else {
                if after_coalesce && next.symbol != "??" {
                    let message = format!(
                        "operator {} and coalesce expressions (??) cannot be mixed, wrap either \
                         by parentheses",
                        next.symbol
                    );
                    return Err(Error::new(ErrorKind::Compile, next.range, message));
                }
                left = self.binary_right(left, &next)?;
            }
            after_coalesce = next.symbol == "??";
        }
        if precedence == 0 { self.ternary(left) } else { Ok(left) }
    }

    /// Takes the operator that continues an expression, with a `not` before it.
    fn next_operator(&mut self, precedence: u16) -> Result<Option<NextOperator<'a>>, Error> {
        let TokenKind::Operator(symbol) = self.current.kind else { return Ok(None) };
        let takes = |symbol| binary(symbol).filter(|rule| rule.precedence >= precedence);
        if symbol != "not" {
            let Some(rule) = takes(symbol) else { return Ok(None) };
            let range = self.advance()?.range;
            return Ok(Some(NextOperator { symbol, rule, range, negated: false }));
        }
        let not = self.advance()?;
        let TokenKind::Operator(symbol) = self.current.kind else { return Err(self.unexpected()) };
        if !is_negatable(symbol) {
            return Err(self.unexpected());
        }
        let Some(rule) = takes(symbol) else {
            self.stashed = Some(std::mem::replace(&mut self.current, not));
            return Ok(None);
        };
        let range = self.advance()?.range;
        Ok(Some(NextOperator { symbol, rule, range, negated: true }))
    }

    fn binary_right(&mut self, left: NodeId, next: &NextOperator<'a>) -> Result<NodeId, Error> {
        if is_comparison(next.symbol) {
            return self.comparison(left, next);
        }
        let right = match next.rule.associativity {
            Associativity::Left => self.expression(next.rule.precedence + 1)?,
            Associativity::Right => self.expression(next.rule.precedence)?,
        };
        let operator = next.rule.operator;
        let node = self.add(Kind::Binary { operator, left, right }, next.range.clone())?;
        if next.negated {
            let kind = Kind::Unary { operator: Unary::Not, operand: node };
            return self.add(kind, next.range.clone());
        }
        Ok(node)
    }

    /// `a < b < c` means `a < b && b < c`.
    fn comparison(&mut self, left: NodeId, first: &NextOperator<'a>) -> Result<NodeId, Error> {
        let precedence = first.rule.precedence;
        let (mut operator, mut range) = (first.rule.operator, first.range.clone());
        let (mut left, mut whole) = (left, None);
        loop {
            let right = self.expression(precedence + 1)?;
            let pair = self.add(Kind::Binary { operator, left, right }, range.clone())?;
            let joined = match whole {
                None => pair,
                Some(before) => {
                    let kind = Kind::Binary { operator: Binary::And, left: before, right: pair };
                    self.add(kind, range)?
                }
            };
            let TokenKind::Operator(symbol) = self.current.kind else { return Ok(joined) };
            let Some(rule) = binary(symbol).filter(|_| is_comparison(symbol)) else {
                return Ok(joined);
            };
            range = self.advance()?.range;
            (operator, left, whole) = (rule.operator, right, Some(joined));
        }
    }
}

/// An operator that has been taken.
struct NextOperator<'a> {
    symbol: &'a str,
    rule: operator::Rule,
    range: Range<usize>,
    negated: bool,
}

#[cfg(test)]
mod tests;
