//! Aggregates over numbers and nested lists of numbers.

use crate::builtin::number::to_float;
use crate::builtin::{Arguments, Builtin, elements};
use crate::error::Trouble;
use crate::limits::Budget;
use crate::value::{Data, Value, less};

pub(super) fn call(
    builtin: Builtin,
    arguments: &Arguments<'_>,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    if arguments.len() == 0 {
        return Err(Trouble::Invalid(format!("not enough arguments to call {}", builtin.name())));
    }
    if matches!(builtin, Builtin::Max | Builtin::Min) {
        return extreme(builtin, arguments, budget);
    }
    let mut numbers = Vec::new();
    for argument in arguments.0 {
        visit(argument, builtin, budget, &mut |value| {
            numbers.extend(to_float(value));
            Ok(())
        })?;
    }
    Ok(Value::float(if builtin == Builtin::Mean { mean(&numbers) } else { median(numbers) }))
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn mean(numbers: &[f64]) -> f64 {
    if numbers.is_empty() { 0.0 } else { numbers.iter().sum::<f64>() / numbers.len() as f64 }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    let at = |index: usize| numbers.get(index).copied().unwrap_or(0.0);
    if numbers.is_empty() || numbers.len() % 2 == 1 {
        return at(middle);
    }
    f64::midpoint(at(middle - 1), at(middle))
}

/// The largest or smallest number. A single argument that is neither number nor list is given
/// back as it is.
fn extreme(
    builtin: Builtin,
    arguments: &Arguments<'_>,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    if let [single] = arguments.0
        && to_float(single).is_none()
        && !matches!(single.data, Data::List(_) | Data::Bytes(_))
    {
        return Ok(single.clone());
    }
    let mut best: Option<Value> = None;
    for argument in arguments.0 {
        visit(argument, builtin, budget, &mut |value| {
            let is_better = match &best {
                None => true,
                Some(best) if builtin == Builtin::Max => less(best, value)?,
                Some(best) => less(value, best)?,
            };
            if is_better {
                best = Some(value.clone());
            }
            Ok(())
        })?;
    }
    Ok(best.unwrap_or(Value::NIL))
}

/// Visits every number of a nested list.
fn visit(
    value: &Value,
    builtin: Builtin,
    budget: &mut Budget,
    action: &mut dyn FnMut(&Value) -> Result<(), Trouble>,
) -> Result<(), Trouble> {
    budget.steps(1)?;
    match &value.data {
        Data::List(_) | Data::Bytes(_) => {
            elements(value)?.iter().try_for_each(|item| visit(item, builtin, budget, action))
        }
        _ if to_float(value).is_some() => action(value),
        _ => {
            let (name, given) = (builtin.name(), value.type_name());
            Err(Trouble::Invalid(format!("invalid argument for {name} (type {given})")))
        }
    }
}
