//! Operators.

use std::sync::Arc;

use core_pattern::UserRegex;

use crate::ast::{Binary, Kind, NodeId, Unary};
use crate::builtin::{elements, to_int};
use crate::error::{Failure, Trouble};
use crate::eval::Machine;
use crate::limits::Budget;
use crate::text::Text;
use crate::value::{Data, List, ListKind, Value, equal, related};

/// What a dynamic regular expression costs in steps, beside its length.
const REGEX_STEPS: usize = 2_000;

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

fn arithmetic(
    operator: Binary,
    left: &Value,
    right: &Value,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    match (operator, &left.data, &right.data) {
        (Binary::Range, ..) => return range(left, right, budget),
        (Binary::Power, ..) => {
            return Ok(Value::float(to_float(left)?.powf(to_float(right)?)));
        }
        (Binary::Add, Data::Text(left), Data::Text(right)) => {
            budget.text(left.len() + right.len())?;
            return Ok(Value::text([left.as_bytes(), right.as_bytes()].concat()));
        }
        _ => {}
    }
    let number = numbers(operator, left, right)?;
    let result = match number {
        Some(number) => Some(number),
        None => times(operator, &left.data, &right.data)?,
    };
    result.map(Value::from).ok_or_else(|| {
        let (symbol, left, right) = (operator.symbol(), left.type_name(), right.type_name());
        Trouble::Invalid(format!("invalid operation: {left} {symbol} {right}"))
    })
}

fn whole(value: &Value) -> Option<i64> {
    match value.data {
        Data::Int(number) => Some(number),
        Data::Uint(number) => Some(number.cast_signed()),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "mixed arithmetic is done in floats")]
fn to_float(value: &Value) -> Result<f64, Trouble> {
    match value.data {
        Data::Int(number) => Ok(number as f64),
        Data::Uint(number) => Ok(number as f64),
        Data::Float(number) => Ok(number),
        _ => Err(Trouble::Invalid(format!("invalid operation: float({})", value.type_name()))),
    }
}

/// Arithmetic of two numbers; `None` when they are not two numbers. Whole numbers wrap.
fn numbers(operator: Binary, left: &Value, right: &Value) -> Result<Option<Data>, Trouble> {
    let (Ok(left_float), Ok(right_float)) = (to_float(left), to_float(right)) else {
        return Ok(None);
    };
    if operator == Binary::Divide {
        return Ok(Some(Data::Float(left_float / right_float)));
    }
    Ok(match (operator, whole(left), whole(right)) {
        (Binary::Add, Some(left), Some(right)) => Some(Data::Int(left.wrapping_add(right))),
        (Binary::Subtract, Some(left), Some(right)) => Some(Data::Int(left.wrapping_sub(right))),
        (Binary::Multiply, Some(left), Some(right)) => Some(Data::Int(left.wrapping_mul(right))),
        (Binary::Modulo, Some(_), Some(0)) => {
            return Err(Trouble::from("integer divide by zero"));
        }
        (Binary::Modulo, Some(left), Some(right)) => Some(Data::Int(left.wrapping_rem(right))),
        (Binary::Add, ..) => Some(Data::Float(left_float + right_float)),
        (Binary::Subtract, ..) => Some(Data::Float(left_float - right_float)),
        (Binary::Multiply, ..) => Some(Data::Float(left_float * right_float)),
        _ => None,
    })
}

/// Arithmetic of times and durations.
fn times(operator: Binary, left: &Data, right: &Data) -> Result<Option<Data>, Trouble> {
    use Data::{Duration, Float, Int, Moment, Uint};
    let out_of_range = || Trouble::from("the time is out of range");
    Ok(Some(match (operator, left, right) {
        (Binary::Add, Moment(moment), Duration(duration))
        | (Binary::Add, Duration(duration), Moment(moment)) => {
            Moment(Arc::new(moment.plus(*duration).ok_or_else(out_of_range)?))
        }
        (Binary::Subtract, Moment(moment), Duration(duration)) => {
            let duration = duration.wrapping_neg();
            Moment(Arc::new(moment.plus(duration).ok_or_else(out_of_range)?))
        }
        (Binary::Subtract, Moment(left), Moment(right)) => Duration(left.since(right)),
        (Binary::Add, Duration(left), Duration(right)) => Duration(left.wrapping_add(*right)),
        (Binary::Subtract, Duration(left), Duration(right)) => Duration(left.wrapping_sub(*right)),
        (Binary::Multiply, Duration(left), Duration(right) | Int(right))
        | (Binary::Multiply, Int(left), Duration(right)) => Duration(left.wrapping_mul(*right)),
        (Binary::Multiply, Duration(left), Uint(right))
        | (Binary::Multiply, Uint(right), Duration(left)) => {
            Duration(left.wrapping_mul(right.cast_signed()))
        }
        #[expect(clippy::cast_precision_loss, reason = "the product is a float")]
        (Binary::Multiply, Duration(left), Float(right))
        | (Binary::Multiply, Float(right), Duration(left)) => Float(*left as f64 * right),
        _ => return Ok(None),
    }))
}

fn range(left: &Value, right: &Value, budget: &mut Budget) -> Result<Value, Trouble> {
    let (from, to) = (to_int(left)?, to_int(right)?);
    let size = i128::from(to) - i128::from(from) + 1;
    let size = usize::try_from(size.max(0)).unwrap_or(usize::MAX);
    budget.elements(size)?;
    budget.steps(size / 16)?;
    let items = if size == 0 { Vec::new() } else { (from..=to).map(Value::int).collect() };
    Ok(Data::List(Arc::new(List::new(items, ListKind::Ints))).into())
}

/// Whether a collection holds a value.
fn contains(collection: &Value, needle: &Value, budget: &mut Budget) -> Result<bool, Trouble> {
    match &collection.data {
        Data::Nil | Data::Absent(_) => Ok(false),
        Data::List(_) | Data::Bytes(_) => {
            let items = elements(collection)?;
            budget.steps(items.len())?;
            budget.scan(collection.weight())?;
            Ok(items.iter().any(|item| equal(item, needle)))
        }
        Data::Map(map) => match &needle.data {
            Data::Text(key) => Ok(map.entries.contains_key(key)),
            Data::Nil => Ok(map.entries.contains_key(&b""[..])),
            _ => Err(wrong_key(needle)),
        },
        Data::Pairs(pairs) => Ok(pairs.entries.iter().any(|(key, _)| equal(key, needle))),
        Data::Object(object) => match needle.as_text() {
            Some(name) => Ok(object.get(name.as_bytes()).is_some()),
            None => Err(wrong_key(needle)),
        },
        _ => {
            let name = collection.type_name();
            Err(Trouble::Invalid(format!("operator \"in\" not defined on {name}")))
        }
    }
}

fn wrong_key(key: &Value) -> Trouble {
    Trouble::Invalid(format!("cannot use {} as a key", key.type_name()))
}

/// A list of text literals holds texts only; nothing counts as an empty text.
fn in_texts(needle: &Value, texts: &Value) -> Result<bool, Trouble> {
    let key = match &needle.data {
        Data::Text(key) => key.clone(),
        Data::Nil => Text::from(""),
        _ => return Err(wrong_key(needle)),
    };
    Ok(elements(texts)?.iter().any(|item| item.as_text() == Some(&key)))
}

fn compare_texts(
    operator: Binary,
    left: &Value,
    right: &Value,
    budget: &mut Budget,
) -> Result<bool, Trouble> {
    if left.is_nil() || right.is_nil() {
        return Ok(false);
    }
    let (Some(text), Some(part)) = (left.as_text(), right.as_text()) else {
        let (symbol, left, right) = (operator.symbol(), left.type_name(), right.type_name());
        return Err(Trouble::Invalid(format!("invalid operation: {left} {symbol} {right}")));
    };
    budget.scan(text.len())?;
    let (text, part) = (text.as_bytes(), part.as_bytes());
    Ok(match operator {
        Binary::Contains => memchr::memmem::find(text, part).is_some(),
        Binary::StartsWith => text.starts_with(part),
        _ => text.ends_with(part),
    })
}

/// Whether a text matches a pattern that was read in advance.
pub(super) fn matches(
    text: &Value,
    regex: &UserRegex,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    let is_match = match &text.data {
        _ if text.is_nil() => false,
        Data::Text(text) | Data::Bytes(text) => {
            budget.scan(text.len().saturating_mul(4))?;
            regex.is_match(&text.to_str())
        }
        _ => {
            let name = text.type_name();
            return Err(Trouble::Invalid(format!("invalid operation: {name} matches string")));
        }
    };
    Ok(Data::Bool(is_match).into())
}

fn matches_dynamic(text: &Value, pattern: &Value, budget: &mut Budget) -> Result<Value, Trouble> {
    if text.is_nil() || pattern.is_nil() {
        return Ok(Data::Bool(false).into());
    }
    let Some(source) = pattern.as_text() else {
        let name = pattern.type_name();
        return Err(Trouble::Invalid(format!("{name} is not a regular expression")));
    };
    budget.steps(REGEX_STEPS + source.len())?;
    let regex =
        UserRegex::parse(&source.to_str()).map_err(|error| Trouble::Invalid(error.to_string()))?;
    matches(text, &regex, budget)
}
