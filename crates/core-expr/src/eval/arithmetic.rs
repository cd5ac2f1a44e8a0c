//! Numbers, times and durations: whole numbers wrap, mixed arithmetic is done in floats.

use std::sync::Arc;

use crate::ast::Binary;
use crate::builtin::to_int;
use crate::error::Trouble;
use crate::limits::Budget;
use crate::value::{Data, List, ListKind, Value};

/// Applies an operator that makes a value.
pub(super) fn arithmetic(
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
