//! Infix operators and member lookup.

use std::cmp::Ordering;

use super::{
    ast::Operator,
    equality::equal,
    evaluate::Evaluated,
    program::{EvalError, Meter},
    value::Val,
};
use crate::node::ListKind;

pub(super) fn overflow() -> EvalError {
    EvalError::failed("integer overflow")
}

pub(super) fn apply<'v>(
    operator: Operator,
    left: &Val<'v>,
    right: &Val<'v>,
    meter: &mut Meter,
) -> Evaluated<'v> {
    let ordered = |accept: fn(Ordering) -> bool, meter: &mut Meter| {
        let order = compare(left, right, meter)?;
        Ok(Val::Bool(order.is_some_and(accept)))
    };
    match operator {
        Operator::Equal => Ok(Val::Bool(equal(left, right, meter)?)),
        Operator::NotEqual => Ok(Val::Bool(!equal(left, right, meter)?)),
        Operator::Less => ordered(Ordering::is_lt, meter),
        Operator::LessOrEqual => ordered(Ordering::is_le, meter),
        Operator::Greater => ordered(Ordering::is_gt, meter),
        Operator::GreaterOrEqual => ordered(Ordering::is_ge, meter),
        Operator::In => contains(right, left, meter),
        Operator::Add => add(left, right, meter),
        Operator::Subtract => subtract(left, right),
        Operator::Multiply => multiply(left, right),
        Operator::Divide => divide(left, right),
        Operator::Remainder => remainder(left, right),
    }
}

/// The order of two values; `None` where numbers are not comparable (NaN).
pub(super) fn compare(
    left: &Val<'_>,
    right: &Val<'_>,
    meter: &mut Meter,
) -> Result<Option<Ordering>, EvalError> {
    Ok(match (left, right) {
        (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
        (Val::Text(a), Val::Text(b)) => {
            meter.charge_text(a.len().min(b.len()))?;
            Some(a.cmp(b))
        }
        (Val::Bytes(a), Val::Bytes(b)) => {
            meter.charge_text(a.len().min(b.len()))?;
            Some(a.cmp(b))
        }
        (Val::Duration(a), Val::Duration(b)) => Some(a.cmp(b)),
        (Val::Timestamp(a), Val::Timestamp(b)) => Some(a.cmp(b)),
        (
            Val::Int(_) | Val::Uint(_) | Val::Double(_),
            Val::Int(_) | Val::Uint(_) | Val::Double(_),
        ) => compare_numbers(left, right),
        _ => return Err(EvalError::NoSuchOverload),
    })
}

/// Numbers compare by value across their types.
#[expect(clippy::cast_precision_loss, reason = "floats compare as floats")]
pub(super) fn compare_numbers(left: &Val<'_>, right: &Val<'_>) -> Option<Ordering> {
    let whole = |value: &Val<'_>| match value {
        Val::Int(value) => Some(i128::from(*value)),
        Val::Uint(value) => Some(i128::from(*value)),
        _ => None,
    };
    let float = |value: &Val<'_>| match value {
        Val::Int(value) => Some(*value as f64),
        Val::Uint(value) => Some(*value as f64),
        Val::Double(value) => Some(*value),
        _ => None,
    };
    match (whole(left), whole(right)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => float(left)?.partial_cmp(&float(right)?),
    }
}

fn contains<'v>(range: &Val<'v>, wanted: &Val<'v>, meter: &mut Meter) -> Evaluated<'v> {
    if !range.is_list() {
        return Ok(Val::Bool(lookup(range, wanted, meter)?.is_some()));
    }
    for index in 0..range.len().unwrap_or_default() {
        if let Some(item) = range.item(index)
            && equal(&item, wanted, meter)?
        {
            return Ok(Val::Bool(true));
        }
    }
    Ok(Val::Bool(false))
}

/// The item of a list or the value of a map; `None` if there is none.
pub(super) fn lookup<'v>(
    operand: &Val<'v>,
    index: &Val<'v>,
    meter: &mut Meter,
) -> Result<Option<Val<'v>>, EvalError> {
    match (operand, index) {
        (Val::List(_) | Val::Items(..), Val::Int(index)) => {
            Ok(usize::try_from(*index).ok().and_then(|index| operand.item(index)))
        }
        (Val::List(_) | Val::Items(..), Val::Uint(index)) => {
            Ok(usize::try_from(*index).ok().and_then(|index| operand.item(index)))
        }
        (Val::Members(..), Val::Text(name)) => Ok(operand.member(name)),
        (Val::Members(..), _) => Ok(None),
        (Val::Map(entries), _) => {
            for (key, value) in entries.iter() {
                if equal(key, index, meter)? {
                    return Ok(Some(value.clone()));
                }
            }
            Ok(None)
        }
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn add<'v>(left: &Val<'v>, right: &Val<'v>, meter: &mut Meter) -> Evaluated<'v> {
    match (left, right) {
        (Val::Int(a), Val::Int(b)) => a.checked_add(*b).map(Val::Int).ok_or_else(overflow),
        (Val::Uint(a), Val::Uint(b)) => a.checked_add(*b).map(Val::Uint).ok_or_else(overflow),
        (Val::Double(a), Val::Double(b)) => Ok(Val::Double(a + b)),
        (Val::Text(a), Val::Text(b)) => {
            meter.charge_text(a.len() + b.len())?;
            Ok(Val::text(format!("{a}{b}")))
        }
        (Val::Bytes(a), Val::Bytes(b)) => {
            meter.charge_text(a.len() + b.len())?;
            Ok(Val::Bytes([a.as_ref(), b.as_ref()].concat().into()))
        }
        (Val::Duration(a), Val::Duration(b)) => {
            a.checked_add(*b).map(Val::Duration).ok_or_else(overflow)
        }
        (Val::Timestamp(at), Val::Duration(by)) | (Val::Duration(by), Val::Timestamp(at)) => {
            Ok(Val::Timestamp(at.saturating_add(i128::from(*by))))
        }
        (a, b) if a.is_list() && b.is_list() => join(a, b, meter),
        _ => Err(EvalError::NoSuchOverload),
    }
}

/// One list after the other. To a set or a map list only what it lacks is added; equal keys take the newer item.
fn join<'v>(left: &Val<'v>, right: &Val<'v>, meter: &mut Meter) -> Evaluated<'v> {
    let kind = match left {
        Val::Items(_, Some(node)) => &node.list,
        _ => &ListKind::Atomic,
    };
    let mut items = left.visited().unwrap_or_default();
    let added = right.visited().unwrap_or_default();
    meter.charge(items.len() + added.len())?;
    for item in added {
        match find_same(kind, &items, &item, meter)?.and_then(|index| items.get_mut(index)) {
            Some(slot) => *slot = item,
            None => items.push(item),
        }
    }
    Ok(Val::list(items))
}

/// Where the list already has the item, as its kind tells items apart.
fn find_same(
    kind: &ListKind,
    items: &[Val<'_>],
    item: &Val<'_>,
    meter: &mut Meter,
) -> Result<Option<usize>, EvalError> {
    for (index, known) in items.iter().enumerate() {
        let same = match kind {
            ListKind::Atomic => return Ok(None),
            ListKind::Set => equal(known, item, meter)?,
            ListKind::Map(keys) => {
                let mut same = true;
                for key in keys {
                    same = same
                        && match (known.member(key), item.member(key)) {
                            (Some(a), Some(b)) => equal(&a, &b, meter)?,
                            (None, None) => true,
                            _ => false,
                        };
                }
                same
            }
        };
        if same {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn subtract<'v>(left: &Val<'v>, right: &Val<'v>) -> Evaluated<'v> {
    match (left, right) {
        (Val::Int(a), Val::Int(b)) => a.checked_sub(*b).map(Val::Int).ok_or_else(overflow),
        (Val::Uint(a), Val::Uint(b)) => a.checked_sub(*b).map(Val::Uint).ok_or_else(overflow),
        (Val::Double(a), Val::Double(b)) => Ok(Val::Double(a - b)),
        (Val::Duration(a), Val::Duration(b)) => {
            a.checked_sub(*b).map(Val::Duration).ok_or_else(overflow)
        }
        (Val::Timestamp(at), Val::Duration(by)) => {
            Ok(Val::Timestamp(at.saturating_sub(i128::from(*by))))
        }
        (Val::Timestamp(a), Val::Timestamp(b)) => {
            i64::try_from(a.saturating_sub(*b)).map(Val::Duration).map_err(|_| overflow())
        }
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn multiply<'v>(left: &Val<'v>, right: &Val<'v>) -> Evaluated<'v> {
    match (left, right) {
        (Val::Int(a), Val::Int(b)) => a.checked_mul(*b).map(Val::Int).ok_or_else(overflow),
        (Val::Uint(a), Val::Uint(b)) => a.checked_mul(*b).map(Val::Uint).ok_or_else(overflow),
        (Val::Double(a), Val::Double(b)) => Ok(Val::Double(a * b)),
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn divide<'v>(left: &Val<'v>, right: &Val<'v>) -> Evaluated<'v> {
    match (left, right) {
        (Val::Int(_), Val::Int(0)) | (Val::Uint(_), Val::Uint(0)) => {
            Err(EvalError::failed("division by zero"))
        }
        (Val::Int(a), Val::Int(b)) => a.checked_div(*b).map(Val::Int).ok_or_else(overflow),
        (Val::Uint(a), Val::Uint(b)) => a.checked_div(*b).map(Val::Uint).ok_or_else(overflow),
        (Val::Double(a), Val::Double(b)) => Ok(Val::Double(a / b)),
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn remainder<'v>(left: &Val<'v>, right: &Val<'v>) -> Evaluated<'v> {
    match (left, right) {
        (Val::Int(_), Val::Int(0)) | (Val::Uint(_), Val::Uint(0)) => {
            Err(EvalError::failed("modulus by zero"))
        }
        (Val::Int(a), Val::Int(b)) => a.checked_rem(*b).map(Val::Int).ok_or_else(overflow),
        (Val::Uint(a), Val::Uint(b)) => a.checked_rem(*b).map(Val::Uint).ok_or_else(overflow),
        _ => Err(EvalError::NoSuchOverload),
    }
}
