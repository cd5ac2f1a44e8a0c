//! Calls of functions and built-ins, and predicates.

use std::ops::Range;

use crate::ast::{Kind, NodeId};
use crate::builtin::{Builtin, Parameter};
use crate::error::Error;
use crate::parser::Parser;

impl Parser<'_> {
    /// A call of what is named; `arguments` holds what a pipe put before it. Functions of the
    /// library hide built-ins unless the name is written as `::name`.
    pub(super) fn call(
        &mut self,
        name: &str,
        range: Range<usize>,
        arguments: Vec<NodeId>,
        may_be_hidden: bool,
    ) -> Result<NodeId, Error> {
        let is_hidden = may_be_hidden && self.library.function(name).is_some();
        let Some(builtin) = Builtin::named(name).filter(|_| !is_hidden) else {
            let callee = self.add(Kind::Name(name.into()), range.clone())?;
            let arguments = self.arguments(arguments)?.into();
            return self.add(Kind::Call { callee, arguments }, range);
        };
        let arguments = match builtin.predicate_parameters() {
            Some(parameters) => self.predicate_arguments(parameters, arguments)?,
            None => self.arguments(arguments)?,
        };
        self.add(Kind::Builtin { builtin, arguments: arguments.into() }, range)
    }

    pub(super) fn arguments(&mut self, mut arguments: Vec<NodeId>) -> Result<Vec<NodeId>, Error> {
        let offset = arguments.len();
        self.expect_bracket('(')?;
        while !self.current.is_bracket(')') {
            if arguments.len() > offset {
                self.expect_operator(",")?;
            }
            if self.current.is_bracket(')') {
                break;
            }
            arguments.push(self.expression(0)?);
        }
        self.expect_bracket(')')?;
        Ok(arguments)
    }

    fn predicate_arguments(
        &mut self,
        parameters: &[Parameter],
        mut arguments: Vec<NodeId>,
    ) -> Result<Vec<NodeId>, Error> {
        self.expect_bracket('(')?;
        let parameters = parameters.get(arguments.len()..).unwrap_or_default();
        for (index, parameter) in parameters.iter().enumerate() {
            if self.current.is_bracket(')') {
                if matches!(parameter, Parameter::Expression | Parameter::Predicate) {
                    return Err(self.error("not enough arguments"));
                }
                break;
            }
            if index > 0 {
                self.expect_operator(",")?;
            }
            arguments.push(match parameter {
                Parameter::Expression | Parameter::OptionalExpression => self.expression(0)?,
                Parameter::Predicate | Parameter::OptionalPredicate => self.predicate()?,
            });
        }
        if self.current.is_operator(",") {
            self.advance()?;
        }
        self.expect_bracket(')')?;
        Ok(arguments)
    }

    fn predicate(&mut self) -> Result<NodeId, Error> {
        let range = self.current.range.clone();
        let in_brackets = self.current.is_bracket('{');
        if in_brackets {
            self.advance()?;
        }
        self.predicates += 1;
        let body = if in_brackets { self.sequence()? } else { self.expression(0)? };
        self.predicates -= 1;
        if in_brackets {
            self.expect_bracket('}')?;
        } else if self.current.is_operator(";") {
            return Err(self.error("wrap predicate with brackets { and }"));
        }
        self.add(Kind::Predicate(body), range)
    }
}
