//! A compiled expression, and what bounds its evaluation.

use serde_json::Value;

use super::{ast::Expr, check::Checker, evaluate::Evaluator, parser, types::Type, value::Val};
use crate::node::Node;

/// Why an expression does not compile.
#[derive(Debug)]
pub(super) struct CompileError {
    /// Where in the source, in characters.
    pub(super) at: usize,
    pub(super) problem: String,
}

impl CompileError {
    /// The error with its line, and a mark under the place.
    fn shown(&self, source: &str) -> String {
        let before: String = source.chars().take(self.at).collect();
        let line = before.matches('\n').count();
        let column = before.chars().rev().take_while(|&next| next != '\n').count();
        let text = source.lines().nth(line).unwrap_or_default();
        let dots = ".".repeat(column);
        let (row, position) = (line + 1, column + 1);
        format!("ERROR: <input>:{row}:{position}: {}\n | {text}\n | {dots}^", self.problem)
    }
}

/// Parses a source and finds its type.
pub(super) fn checked<'n>(
    source: &str,
    checker: &mut Checker<'n>,
) -> Result<(Expr, Type<'n>), String> {
    let compiled = parser::parse(source).and_then(|mut expr| {
        let result = checker.expr(&mut expr)?;
        Ok((expr, result))
    });
    compiled.map_err(|error| format!("compilation failed: {}", error.shown(source)))
}

/// Why an evaluation has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EvalError {
    /// The expression went wrong, for example `no such key: a`.
    Failed(String),
    /// Values of the wrong type met, which the checker could not know.
    NoSuchOverload,
    /// The budget is spent.
    OutOfBudget,
}

impl EvalError {
    pub(super) fn failed(problem: impl Into<String>) -> Self {
        Self::Failed(problem.into())
    }
}

/// Counts the work of evaluations.
#[derive(Debug)]
pub(crate) struct Meter {
    pub(crate) left: u64,
}

impl Meter {
    /// Takes this much work off the budget.
    pub(super) fn charge(&mut self, units: usize) -> Result<(), EvalError> {
        let units = u64::try_from(units).unwrap_or(u64::MAX);
        let enough = self.left.checked_sub(units);
        self.left = enough.unwrap_or_default();
        enough.map(|_| ()).ok_or(EvalError::OutOfBudget)
    }

    /// Looking at text costs a unit for every ten bytes.
    pub(super) fn charge_text(&mut self, bytes: usize) -> Result<(), EvalError> {
        self.charge(bytes / 10)
    }
}

/// What the variables of a rule stand for.
#[derive(Clone, Copy)]
pub(crate) struct Variables<'v> {
    /// `self` and its schema.
    pub(crate) new: &'v Value,
    /// `oldSelf`, if there is one.
    pub(crate) old: Option<&'v Value>,
    pub(crate) node: &'v Node,
    /// Whether `oldSelf` is an optional.
    pub(crate) old_is_optional: bool,
}

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Program {
    expr: Expr,
    pub(crate) uses_old_self: bool,
}

impl Program {
    /// Compiles a source over `self` and `oldSelf` of this type. `wanted` is the type that the result must have.
    pub(crate) fn compile(
        source: &str,
        own: &Type<'_>,
        old_is_optional: bool,
        wanted: &Type<'_>,
    ) -> Result<Self, String> {
        let old = if old_is_optional { Type::Optional(Box::new(own.clone())) } else { own.clone() };
        let mut checker = Checker::new(&[("self", own.clone()), ("oldSelf", old)]);
        let (expr, result) = checked(source, &mut checker)?;
        if matches!(result, Type::Dyn) || !result.agrees(wanted) {
            return Err(format!("must evaluate to a {wanted}"));
        }
        Ok(Self { expr, uses_old_self: checker.uses("oldSelf") })
    }

    /// Whether the expression holds.
    pub(crate) fn holds(
        &self,
        variables: Variables<'_>,
        meter: &mut Meter,
    ) -> Result<bool, EvalError> {
        match self.evaluate(variables, meter)? {
            Val::Bool(holds) => Ok(holds),
            _ => Err(EvalError::NoSuchOverload),
        }
    }

    /// The text that the expression gives.
    pub(crate) fn text(
        &self,
        variables: Variables<'_>,
        meter: &mut Meter,
    ) -> Result<String, EvalError> {
        match self.evaluate(variables, meter)? {
            Val::Text(text) => Ok(text.into_owned()),
            _ => Err(EvalError::NoSuchOverload),
        }
    }

    fn evaluate<'v>(
        &'v self,
        variables: Variables<'v>,
        meter: &mut Meter,
    ) -> Result<Val<'v>, EvalError> {
        let Variables { new, old, node, old_is_optional } = variables;
        let mut scope = vec![("self", Val::of(new, Some(node)))];
        let old = old.map(|old| Val::of(old, Some(node)));
        if old_is_optional {
            scope.push(("oldSelf", old.map_or(Val::Optional(None), Val::some)));
        } else if let Some(old) = old {
            scope.push(("oldSelf", old));
        }
        Evaluator { scope, meter }.expr(&self.expr)
    }
}
