//! Numbers. Integers wrap around, as they do in Go.

use gotmpl::Value;

use super::{Call, Table, list_of};
use crate::value;

/// The longest range of numbers that is made.
const MAX_RANGE: i64 = 10_000;

pub(super) const TABLE: Table = &[
    ("int", |call| Ok(Value::Int(call.integer(0)?))),
    ("int64", |call| Ok(Value::Int(call.integer(0)?))),
    ("atoi", |call| Ok(Value::Int(call.text(0)?.parse().unwrap_or_default()))),
    ("float64", |call| Ok(Value::Float(call.number(0)?))),
    ("toDecimal", |call| {
        Ok(Value::Int(i64::from_str_radix(&call.text(0)?, 8).unwrap_or_default()))
    }),
    ("add1", |call| Ok(Value::Int(call.integer(0)?.wrapping_add(1)))),
    ("add", |call| Ok(Value::Int(integers(call).fold(0, i64::wrapping_add)))),
    ("sub", |call| Ok(Value::Int(call.integer(0)?.wrapping_sub(call.integer(1)?)))),
    ("mul", |call| Ok(Value::Int(integers(call).fold(1, i64::wrapping_mul)))),
    ("div", |call| divide(call, i64::checked_div)),
    ("mod", |call| divide(call, i64::checked_rem)),
    ("max", |call| Ok(Value::Int(integers(call).max().unwrap_or_default()))),
    ("biggest", |call| Ok(Value::Int(integers(call).max().unwrap_or_default()))),
    ("min", |call| Ok(Value::Int(integers(call).min().unwrap_or_default()))),
    ("add1f", |call| Ok(Value::Float(call.number(0)? + 1.0))),
    ("addf", |call| Ok(Value::Float(numbers(call).sum()))),
    ("mulf", |call| Ok(Value::Float(numbers(call).product()))),
    ("subf", |call| Ok(Value::Float(left_to_right(call, |a, b| a - b)?))),
    ("divf", |call| Ok(Value::Float(left_to_right(call, |a, b| a / b)?))),
    ("maxf", |call| Ok(Value::Float(left_to_right(call, f64::max)?))),
    ("minf", |call| Ok(Value::Float(left_to_right(call, f64::min)?))),
    ("ceil", |call| Ok(Value::Float(call.number(0)?.ceil()))),
    ("floor", |call| Ok(Value::Float(call.number(0)?.floor()))),
    ("round", round),
    ("until", |call| {
        let end = call.integer(0)?;
        range(0, end, if end < 0 { -1 } else { 1 })
    }),
    ("untilStep", |call| range(call.integer(0)?, call.integer(1)?, call.integer(2)?)),
    ("seq", sequence),
];

fn integers(call: &Call<'_>) -> impl Iterator<Item = i64> {
    call.arguments.iter().map(value::integer)
}

fn numbers(call: &Call<'_>) -> impl Iterator<Item = f64> {
    call.arguments.iter().map(value::number)
}

fn divide(call: &Call<'_>, operation: fn(i64, i64) -> Option<i64>) -> Result<Value, String> {
    let result = operation(call.integer(0)?, call.integer(1)?);
    result.map(Value::Int).ok_or_else(|| "integer divide by zero".to_owned())
}

fn left_to_right(call: &Call<'_>, operation: fn(f64, f64) -> f64) -> Result<f64, String> {
    numbers(call).reduce(operation).ok_or_else(|| "wrong number of args: got 0, want 1".to_owned())
}

/// Rounds to so many digits; from the third argument on, which is a half where there is none, up.
fn round(call: &Call<'_>) -> Result<Value, String> {
    let digits = i32::try_from(call.integer(1)?).unwrap_or(i32::MAX).clamp(-300, 300);
    let half = call.arguments.get(2).map_or(0.5, value::number);
    let power = 10_f64.powi(digits);
    let scaled = call.number(0)? * power;
    let rounded = if scaled.rem_euclid(1.0) >= half { scaled.ceil() } else { scaled.floor() };
    Ok(Value::Float(rounded / power))
}

fn range(start: i64, end: i64, step: i64) -> Result<Value, String> {
    if step == 0 || (end > start) != (step > 0) || start == end {
        return Ok(list_of([]));
    }
    let count = end.abs_diff(start).div_ceil(step.unsigned_abs());
    let count = i64::try_from(count).ok().filter(|count| *count <= MAX_RANGE);
    let count = count.ok_or("the range is too long")?;
    Ok(list_of((0..count).map(|index| Value::Int(start.wrapping_add(index.wrapping_mul(step))))))
}

/// Numbers in words: `seq END`, `seq START END`, `seq START STEP END`, ends included.
fn sequence(call: &Call<'_>) -> Result<Value, String> {
    let arguments: Vec<i64> = integers(call).collect();
    let (start, step, end) = match *arguments.as_slice() {
        [end] => (1, if end < 1 { -1 } else { 1 }, end),
        [start, end] => (start, if end < start { -1 } else { 1 }, end),
        [start, step, end] => (start, step, end),
        _ => return Ok("".into()),
    };
    let numbers = range(start, end.saturating_add(step.signum()), step)?;
    let Value::List(numbers) = numbers else { return Ok("".into()) };
    let words: Vec<String> = numbers.iter().map(value::text).collect();
    Ok(words.join(" ").into())
}
