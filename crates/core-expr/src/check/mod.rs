//! Finds expressions that cannot work whatever values they meet.

mod builtin;
mod call;
mod member;
mod nature;
mod operator;
mod predicate;
mod signature;

use std::sync::Arc;

use core_pattern::UserRegex;

use crate::ast::{Ast, Kind, NodeId, Pointer};
use crate::builtin::Builtin;
use crate::error::{Error, ErrorKind};
use crate::library::{HostFunction, Library};
pub(crate) use nature::{Form, MapNature, Nature};
pub(crate) use signature::{Callable, Gives, Param};

/// How many nodes may be looked at. Chains of comparisons share operands, so a small tree can have
/// very many paths.
const MAX_VISITS: usize = 100_000;

/// What checking found out for evaluation.
#[derive(Default)]
pub(crate) struct Findings {
    /// Comparisons both of whose sides are of one simple type.
    pub(crate) same: Vec<NodeId>,
    /// The patterns of `matches` that are literals.
    pub(crate) patterns: Vec<(NodeId, Arc<UserRegex>)>,
}

/// Checks an expression.
pub(crate) fn check(ast: &Ast, root: NodeId, library: Library) -> Result<Findings, Error> {
    let mut checker = Checker {
        ast,
        library,
        scopes: Vec::new(),
        variables: Vec::new(),
        visits: 0,
        findings: Findings::default(),
    };
    checker.visit(root)?;
    Ok(checker.findings)
}

struct Checker<'a> {
    ast: &'a Ast,
    library: Library,
    scopes: Vec<Scope>,
    variables: Vec<(Arc<str>, Nature)>,
    visits: usize,
    findings: Findings,
}

/// What `#` and its variants mean in a predicate.
struct Scope {
    collection: Nature,
    has_index: bool,
    has_accumulator: bool,
}

impl Checker<'_> {
    fn error(&self, id: NodeId, message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Compile, self.ast.range(id), message)
    }

    fn visit(&mut self, id: NodeId) -> Result<Nature, Error> {
        self.visits += 1;
        if self.visits > MAX_VISITS {
            let range = self.ast.range(id);
            return Err(Error::new(ErrorKind::Limit, range, "the expression is too complex"));
        }
        Ok(match self.ast.kind(id) {
            Kind::Nil => Nature::Nil,
            Kind::Bool(_) => Nature::Bool,
            Kind::Int(_) => Nature::Int,
            Kind::Float(_) => Nature::Float,
            Kind::Text(_) => Nature::Text,
            Kind::Bytes(_) => Nature::Bytes,
            Kind::Name(name) => self.name(name),
            Kind::Unary { operator, operand } => {
                let operand = self.visit(*operand)?;
                self.unary(id, *operator, operand)?
            }
            Kind::Binary { .. } => self.binary_spine(id)?,
            Kind::Matches { .. } | Kind::SumOf(_) => Nature::Unknown,
            Kind::Member(member) => self.member(id, *member)?,
            Kind::Chain(inner) => self.visit(*inner)?,
            Kind::Slice { object, from, to } => self.slice(id, *object, *from, *to)?,
            Kind::Call { callee, arguments } => self.call(id, *callee, arguments)?,
            Kind::Builtin { builtin, arguments } => self.builtin(id, *builtin, arguments)?,
            Kind::Predicate(body) => self.visit(*body)?,
            Kind::Pointer(pointer) => self.pointer(id, pointer)?,
            Kind::Let { name, value, body } => self.variable(id, name, *value, *body)?,
            Kind::Sequence(nodes) => {
                let mut last = Nature::Unknown;
                for node in nodes {
                    last = self.visit(*node)?;
                }
                last
            }
            Kind::If { condition, then, otherwise, .. } => {
                self.condition(*condition, *then, *otherwise)?
            }
            Kind::List(items) => self.list(items)?,
            Kind::Map(entries) => {
                for (key, value) in entries {
                    self.visit(*key)?;
                    self.visit(*value)?;
                }
                Nature::Map(MapNature::Anything)
            }
        })
    }

    fn visit_all(&mut self, ids: &[NodeId]) -> Result<Vec<Nature>, Error> {
        ids.iter().map(|id| self.visit(*id)).collect()
    }

    /// Names of functions are values too, although nobody can use them.
    fn name(&self, name: &str) -> Nature {
        let variable = self.variables.iter().rev().find(|(known, _)| **known == *name);
        if let Some((_, nature)) = variable {
            return nature.clone();
        }
        if let Some(function) = self.library.function(name) {
            return Nature::Function(Callable::Host(function));
        }
        match Builtin::named(name) {
            Some(_) => Nature::Function(Callable::Builtin),
            None => Nature::Unknown,
        }
    }

    fn variable(
        &mut self,
        id: NodeId,
        name: &Arc<str>,
        value: NodeId,
        body: NodeId,
    ) -> Result<Nature, Error> {
        // `str` is ours; expressions written for upstream may use the name.
        let hides = self.library.function(name).filter(|function| *function != HostFunction::Str);
        let what = if hides.is_some() {
            Some("function")
        } else if Builtin::named(name).is_some() {
            Some("builtin")
        } else if self.variables.iter().any(|(known, _)| known == name) {
            Some("variable")
        } else {
            None
        };
        if let Some(what) = what {
            return Err(self.error(id, format!("cannot redeclare {what} {name}")));
        }
        let nature = self.visit(value)?;
        self.variables.push((Arc::clone(name), nature));
        let result = self.visit(body);
        self.variables.pop();
        result
    }

    fn condition(
        &mut self,
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
    ) -> Result<Nature, Error> {
        let nature = self.visit(condition)?;
        if nature != Nature::Bool && !nature.is_unknown() {
            let message = format!("non-bool expression (type {nature}) used as condition");
            return Err(self.error(condition, message));
        }
        let (then, otherwise) = (self.visit(then)?, self.visit(otherwise)?);
        Ok(match (&then, &otherwise) {
            (Nature::Nil, _) => otherwise,
            (_, Nature::Nil) => then,
            (Nature::List(left), Nature::List(right)) if left != right => Nature::list(),
            _ if then.is_assignable_to(&otherwise) => then,
            _ => Nature::Unknown,
        })
    }

    fn list(&mut self, items: &[NodeId]) -> Result<Nature, Error> {
        let natures = self.visit_all(items)?;
        let is_uniform = natures.windows(2).all(|pair| match pair {
            [left, right] => left.form() == right.form(),
            _ => true,
        });
        let element = natures.into_iter().next_back().filter(|_| is_uniform);
        Ok(Nature::list_of(element.unwrap_or(Nature::Unknown)))
    }

    fn pointer(&self, id: NodeId, pointer: &Pointer) -> Result<Nature, Error> {
        let Some(scope) = self.scopes.last() else {
            return Err(self.error(id, "cannot use pointer accessor outside predicate"));
        };
        let unknown = |name: &str| Err(self.error(id, format!("unknown pointer #{name}")));
        match pointer {
            Pointer::Item => Ok(scope.collection.element()),
            Pointer::Index if scope.has_index => Ok(Nature::Int),
            Pointer::Accumulator if scope.has_accumulator => Ok(Nature::Unknown),
            Pointer::Index => unknown("index"),
            Pointer::Accumulator => unknown("acc"),
            Pointer::Unknown(name) => unknown(name),
        }
    }
}

#[cfg(test)]
mod tests;
