//! When two values are equal. Lists of type `set` and `map` are equal in any order.

use serde_json::Value;

use super::{
    program::{EvalError, Meter},
    value::Val,
};
use crate::{
    correlate::MapList,
    node::{ListKind, Node},
};

pub(super) fn equal(left: &Val<'_>, right: &Val<'_>, meter: &mut Meter) -> Result<bool, EvalError> {
    meter.charge(1)?;
    Ok(match (left, right) {
        (Val::Null, Val::Null) => true,
        (Val::Bool(a), Val::Bool(b)) => a == b,
        (Val::Text(a), Val::Text(b)) => {
            meter.charge_text(a.len().min(b.len()))?;
            a == b
        }
        (Val::Bytes(a), Val::Bytes(b)) => {
            meter.charge_text(a.len().min(b.len()))?;
            a == b
        }
        (Val::Duration(a), Val::Duration(b)) => a == b,
        (Val::Timestamp(a), Val::Timestamp(b)) => a == b,
        (Val::Type(a), Val::Type(b)) => a == b,
        (Val::Item(a), Val::Item(b)) => a == b,
        (Val::Items(a, node), Val::Items(b, _)) => items_equal(a, b, *node, meter)?,
        (Val::Members(a, node), Val::Members(b, _)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (name, value) in *a {
                let Some(other) = b.get(name) else { return Ok(false) };
                let schema = node.and_then(|node| node.member(name));
                if !json_equal(value, other, schema, meter)? {
                    return Ok(false);
                }
            }
            true
        }
        (Val::Optional(a), Val::Optional(b)) => match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => equal(a, b, meter)?,
            _ => false,
        },
        (
            Val::Int(_) | Val::Uint(_) | Val::Double(_),
            Val::Int(_) | Val::Uint(_) | Val::Double(_),
        ) => super::operator::compare_numbers(left, right).is_some_and(std::cmp::Ordering::is_eq),
        (a, b) if a.is_list() && b.is_list() => lists_equal(a, b, meter)?,
        (Val::Map(_) | Val::Members(..), Val::Map(_) | Val::Members(..)) => {
            maps_equal(left, right, meter)?
        }
        _ => false,
    })
}

fn lists_equal(left: &Val<'_>, right: &Val<'_>, meter: &mut Meter) -> Result<bool, EvalError> {
    if left.len() != right.len() {
        return Ok(false);
    }
    for index in 0..left.len().unwrap_or_default() {
        let (Some(a), Some(b)) = (left.item(index), right.item(index)) else { return Ok(false) };
        if !equal(&a, &b, meter)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn maps_equal(left: &Val<'_>, right: &Val<'_>, meter: &mut Meter) -> Result<bool, EvalError> {
    if left.len() != right.len() {
        return Ok(false);
    }
    for key in left.visited().unwrap_or_default() {
        let a = super::operator::lookup(left, &key, meter)?;
        let b = super::operator::lookup(right, &key, meter)?;
        match (a, b) {
            (Some(a), Some(b)) if equal(&a, &b, meter)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn json_equal(
    left: &Value,
    right: &Value,
    node: Option<&Node>,
    meter: &mut Meter,
) -> Result<bool, EvalError> {
    equal(&Val::of(left, node), &Val::of(right, node), meter)
}

fn items_equal(
    left: &[Value],
    right: &[Value],
    node: Option<&Node>,
    meter: &mut Meter,
) -> Result<bool, EvalError> {
    if left.len() != right.len() {
        return Ok(false);
    }
    let schema = node.and_then(|node| node.items.as_deref());
    match node.map(|node| &node.list) {
        Some(ListKind::Set) => {
            meter.charge(left.len() + right.len())?;
            let sorted = |items: &[Value]| {
                let mut texts: Vec<String> = items.iter().map(Value::to_string).collect();
                texts.sort_unstable();
                texts
            };
            return Ok(sorted(left) == sorted(right));
        }
        Some(ListKind::Map(keys)) => {
            meter.charge(left.len() + right.len())?;
            let others = MapList::new(keys, right);
            for item in left {
                let Some(other) = others.get(item) else { return Ok(false) };
                if !json_equal(item, other, schema, meter)? {
                    return Ok(false);
                }
            }
        }
        Some(ListKind::Atomic) | None => {
            for (a, b) in left.iter().zip(right) {
                if !json_equal(a, b, schema, meter)? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}
