//! Runs a checked expression.

use std::borrow::Cow;

use super::{
    ast::{Access, Call, Expr, Kind, Literal, Macro, MacroKind},
    call, check, operator,
    program::{EvalError, Meter},
    value::Val,
};

/// Evaluates one expression in the scope of its variables.
pub(super) struct Evaluator<'v, 'm> {
    pub(super) scope: Vec<(&'v str, Val<'v>)>,
    pub(super) meter: &'m mut Meter,
}

pub(super) type Evaluated<'v> = Result<Val<'v>, EvalError>;

impl<'v> Evaluator<'v, '_> {
    pub(super) fn expr(&mut self, expr: &'v Expr) -> Evaluated<'v> {
        self.meter.charge(1)?;
        match &expr.kind {
            Kind::Literal(literal) => Ok(literal_value(literal)),
            Kind::Name(name) => self.name(name),
            Kind::Select { operand, field, access } => {
                let operand = self.expr(operand)?;
                select(operand, field, *access)
            }
            Kind::Index { operand, index, access } => {
                let operand = self.expr(operand)?;
                let index = self.expr(index)?;
                self.index(operand, &index, *access)
            }
            Kind::Not(operand) => match self.expr(operand)? {
                Val::Bool(value) => Ok(Val::Bool(!value)),
                _ => Err(EvalError::NoSuchOverload),
            },
            Kind::Negate(operand) => match self.expr(operand)? {
                Val::Int(value) => value.checked_neg().map(Val::Int).ok_or_else(operator::overflow),
                Val::Double(value) => Ok(Val::Double(-value)),
                _ => Err(EvalError::NoSuchOverload),
            },
            Kind::Binary { operator, left, right } => {
                let left = self.expr(left)?;
                let right = self.expr(right)?;
                operator::apply(*operator, &left, &right, self.meter)
            }
            Kind::And(operands) => self.logical(operands.iter(), false),
            Kind::Or(operands) => self.logical(operands.iter(), true),
            Kind::Conditional { condition, then, otherwise } => match self.expr(condition)? {
                Val::Bool(true) => self.expr(then),
                Val::Bool(false) => self.expr(otherwise),
                _ => Err(EvalError::NoSuchOverload),
            },
            Kind::List(items) => {
                let items: Result<Vec<_>, _> = items.iter().map(|item| self.expr(item)).collect();
                Ok(Val::list(items?))
            }
            Kind::Map(entries) => {
                let entries: Result<Vec<_>, EvalError> = entries
                    .iter()
                    .map(|(key, value)| Ok((self.expr(key)?, self.expr(value)?)))
                    .collect();
                Ok(Val::Map(entries?.into()))
            }
            Kind::Call(call) => self.call(call),
            Kind::Macro(parts) => self.comprehension(parts),
        }
    }

    fn name(&self, name: &'v str) -> Evaluated<'v> {
        if let Some((_, value)) = self.scope.iter().rev().find(|(known, _)| *known == name) {
            return Ok(value.clone());
        }
        call::type_by_name(name)
            .filter(|_| check::is_type_name(name))
            .ok_or_else(|| EvalError::failed(format!("no such attribute(s): {name}")))
    }

    /// `&&` and `||`: an operand that decides wins over an operand that fails, on either side.
    fn logical(
        &mut self,
        operands: impl Iterator<Item = &'v Expr>,
        decides: bool,
    ) -> Evaluated<'v> {
        let mut failure = None;
        for operand in operands {
            match self.expr(operand) {
                Ok(Val::Bool(value)) if value == decides => return Ok(Val::Bool(decides)),
                Ok(Val::Bool(_)) => {}
                Ok(_) => failure = failure.or(Some(EvalError::NoSuchOverload)),
                Err(EvalError::OutOfBudget) => return Err(EvalError::OutOfBudget),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(Val::Bool(!decides)), Err)
    }

    fn index(&mut self, operand: Val<'v>, index: &Val<'v>, access: Access) -> Evaluated<'v> {
        let (operand, was_optional) = match operand {
            Val::Optional(None) => return Ok(Val::Optional(None)),
            Val::Optional(Some(inner)) => ((*inner).clone(), true),
            other => (other, false),
        };
        let found = operator::lookup(&operand, index, self.meter)?;
        if access == Access::Optional || was_optional {
            return Ok(found.map_or(Val::Optional(None), Val::some));
        }
        found.ok_or_else(|| {
            let kind = if operand.is_list() { "index out of bounds" } else { "no such key" };
            EvalError::failed(format!("{kind}: {}", call::shown(index)))
        })
    }

    fn call(&mut self, call: &'v Call) -> Evaluated<'v> {
        let arguments: Result<Vec<_>, _> =
            call.arguments.iter().map(|argument| self.expr(argument)).collect();
        call::apply(call, &arguments?, self.meter)
    }

    fn comprehension(&mut self, parts: &'v Macro) -> Evaluated<'v> {
        let range = self.expr(&parts.range)?;
        let visited = range.visited().ok_or(EvalError::NoSuchOverload)?;
        self.meter.charge(visited.len())?;
        match parts.kind {
            MacroKind::All => self.quantify(parts, visited, false),
            MacroKind::Exists => self.quantify(parts, visited, true),
            MacroKind::ExistsOne => {
                let mut count = 0;
                for item in visited {
                    count += usize::from(self.test(&parts.body, &parts.variable, item)?);
                }
                Ok(Val::Bool(count == 1))
            }
            MacroKind::Filter => {
                let mut kept = Vec::new();
                for item in visited {
                    if self.test(&parts.body, &parts.variable, item.clone())? {
                        kept.push(item);
                    }
                }
                Ok(Val::list(kept))
            }
            MacroKind::Map => {
                let mut mapped = Vec::new();
                for item in visited {
                    let wanted = match &parts.condition {
                        Some(condition) => self.test(condition, &parts.variable, item.clone())?,
                        None => true,
                    };
                    if wanted {
                        mapped.push(self.with(&parts.variable, item, &parts.body)?);
                    }
                }
                Ok(Val::list(mapped))
            }
        }
    }

    /// `all` and `exists`: an item that decides wins over items that fail.
    fn quantify(&mut self, parts: &'v Macro, items: Vec<Val<'v>>, decides: bool) -> Evaluated<'v> {
        let mut failure = None;
        for item in items {
            match self.test(&parts.body, &parts.variable, item) {
                Ok(value) if value == decides => return Ok(Val::Bool(decides)),
                Ok(_) => {}
                Err(EvalError::OutOfBudget) => return Err(EvalError::OutOfBudget),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(Val::Bool(!decides)), Err)
    }

    fn test(
        &mut self,
        body: &'v Expr,
        variable: &'v str,
        item: Val<'v>,
    ) -> Result<bool, EvalError> {
        match self.with(variable, item, body)? {
            Val::Bool(value) => Ok(value),
            _ => Err(EvalError::NoSuchOverload),
        }
    }

    fn with(&mut self, variable: &'v str, item: Val<'v>, body: &'v Expr) -> Evaluated<'v> {
        self.scope.push((variable, item));
        let result = self.expr(body);
        self.scope.pop();
        result
    }
}

fn literal_value(literal: &Literal) -> Val<'_> {
    match literal {
        Literal::Null => Val::Null,
        Literal::Bool(value) => Val::Bool(*value),
        Literal::Int(value) => Val::Int(*value),
        Literal::Uint(value) => Val::Uint(*value),
        Literal::Double(value) => Val::Double(*value),
        Literal::Text(text) => Val::Text(Cow::Borrowed(text)),
        Literal::Bytes(bytes) => Val::Bytes(bytes.as_ref().into()),
    }
}

fn select<'v>(operand: Val<'v>, field: &str, access: Access) -> Evaluated<'v> {
    let (operand, was_optional) = match operand {
        Val::Optional(None) if access == Access::Test => return Ok(Val::Bool(false)),
        Val::Optional(None) => return Ok(Val::Optional(None)),
        Val::Optional(Some(inner)) => ((*inner).clone(), true),
        other => (other, false),
    };
    let found = match &operand {
        Val::Access(question) => question.member(field).map(Val::Access),
        Val::Map(_) | Val::Members(..) => operand.member(field),
        _ => return Err(EvalError::NoSuchOverload),
    };
    match access {
        Access::Test => Ok(Val::Bool(found.is_some())),
        Access::Plain if !was_optional => {
            found.ok_or_else(|| EvalError::failed(format!("no such key: {field}")))
        }
        Access::Plain | Access::Optional => Ok(found.map_or(Val::Optional(None), Val::some)),
    }
}
