//! Operators.

use crate::ast::{Binary, Kind, NodeId, Unary};
use crate::builtin::to_int;
use crate::error::{Failure, Trouble};
use crate::eval::Machine;
use crate::eval::arithmetic::arithmetic;
use crate::eval::membership::{compare_texts, contains, in_texts, matches_dynamic};
use crate::limits::Budget;
use crate::value::{Data, Value, equal, related};

impl Machine<'_> {
    /// A binary operator and all that are its left operand, from the innermost outwards, so that
    /// long sums do not recurse.
    pub(super) fn binary_spine(&mut self, id: NodeId) -> Result<Value, Failure> {
        let ast = self.ast;
        let mut spine = Vec::new();
        let mut leftmost = id;
        while let Kind::Binary { operator, left, right } = ast.kind(leftmost) {
            spine.push((leftmost, *operator, *right));
            leftmost = *left;
        }
        let mut value = self.evaluate(leftmost)?;
        for (node, operator, right) in spine.into_iter().rev() {
            value = self.binary(node, operator, value, right)?;
        }
        Ok(value)
    }

    fn binary(
        &mut self,
        id: NodeId,
        operator: Binary,
        left: Value,
        right: NodeId,
    ) -> Result<Value, Failure> {
        match operator {
            Binary::And | Binary::Or => {
                let Some(truth) = left.as_bool() else {
                    let message = format!("expected bool, but got {}", left.type_name());
                    return Err(self.fail(id, Trouble::Invalid(message)));
                };
                if truth == (operator == Binary::Or) { Ok(left) } else { self.evaluate(right) }
            }
            Binary::Coalesce if left.is_nil() => self.evaluate(right),
            Binary::Coalesce => Ok(left),
            Binary::In if self.is_range(right) => self.in_range(id, &left, right),
            _ => {
                let right = self.evaluate(right)?;
                let step = self.budget.steps(1);
                self.located(id, step)?;
                let result = apply(operator, &left, &right, self.budget);
                self.located(id, result)
            }
        }
    }

    fn is_range(&self, id: NodeId) -> bool {
        matches!(self.ast.kind(id), Kind::Binary { operator: Binary::Range, .. })
    }

    /// Whether a value lies in a range, without making the range.
    fn in_range(&mut self, id: NodeId, needle: &Value, range: NodeId) -> Result<Value, Failure> {
        let Kind::Binary { left, right, .. } = *self.ast.kind(range) else {
            return Ok(Data::Bool(false).into());
        };
        let (from, to) = (self.evaluate(left)?, self.evaluate(right)?);
        let from = self.located(id, to_int(&from))?;
        let to = self.located(id, to_int(&to))?;
        let is_within = match needle.data {
            Data::Int(number) => (from..=to).contains(&number),
            Data::Uint(number) => (from..=to).contains(&number.cast_signed()),
            Data::Float(number) => {
                number.fract() == 0.0
                    && to_int(needle).is_ok_and(|number| (from..=to).contains(&number))
            }
            _ => false,
        };
        Ok(Data::Bool(is_within).into())
    }

    /// Items are evaluated in order and added from the right.
    pub(super) fn sum_of(&mut self, id: NodeId, items: &[NodeId]) -> Result<Value, Failure> {
        let mut items = self.evaluate_all(items)?;
        let Some(mut sum) = items.pop() else { return Ok(Value::int(0)) };
        while let Some(item) = items.pop() {
            let result = apply(Binary::Add, &item, &sum, self.budget);
            sum = self.located(id, result)?;
        }
        Ok(sum)
    }
}

pub(super) fn unary(operator: Unary, operand: &Value) -> Result<Value, Trouble> {
    let data = match (operator, &operand.data) {
        (Unary::Plus, _) => return Ok(operand.clone()),
        (Unary::Not, Data::Bool(truth)) => Data::Bool(!truth),
        (Unary::Minus, Data::Int(number)) => Data::Int(number.wrapping_neg()),
        (Unary::Minus, Data::Uint(number)) => Data::Uint(number.wrapping_neg()),
        (Unary::Minus, Data::Float(number)) => Data::Float(-number),
        _ => {
            let (symbol, name) = (operator.symbol(), operand.type_name());
            return Err(Trouble::Invalid(format!("invalid operation: {symbol} {name}")));
        }
    };
    Ok(Value::from(data).with_taint(operand.is_tainted()))
}

/// Applies an operator that evaluates both sides. Truth values are never tainted.
pub(super) fn apply(
    operator: Binary,
    left: &Value,
    right: &Value,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    let truth = match operator {
        Binary::Equal | Binary::NotEqual => {
            budget.scan(left.weight().min(right.weight()))?;
            equal(left, right) == (operator == Binary::Equal)
        }
        Binary::EqualSame => same(left, right)?,
        Binary::NotEqualSame => !same(left, right)?,
        Binary::Relation(relation) => related(left, relation, right)?,
        Binary::In => contains(right, left, budget)?,
        Binary::InTexts => in_texts(left, right)?,
        Binary::Matches => return matches_dynamic(left, right, budget),
        Binary::Contains | Binary::StartsWith | Binary::EndsWith => {
            compare_texts(operator, left, right, budget)?
        }
        _ => {
            let taint = left.is_tainted() || right.is_tainted();
            return Ok(arithmetic(operator, left, right, budget)?.with_taint(taint));
        }
    };
    Ok(Data::Bool(truth).into())
}

/// Equality of two values that must both be there.
fn same(left: &Value, right: &Value) -> Result<bool, Trouble> {
    match (&left.data, &right.data) {
        (Data::Nil, _) | (_, Data::Nil) => {
            Err(Trouble::from("nil cannot be compared with a text or number here"))
        }
        _ => Ok(equal(left, right)),
    }
}
