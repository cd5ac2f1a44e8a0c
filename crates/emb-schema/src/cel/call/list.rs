//! Methods of lists, and the set functions.

use std::cmp::Ordering;

use super::convert::position;
use crate::cel::{
    ast::Operator,
    equality::equal,
    evaluate::Evaluated,
    function::Function,
    operator,
    program::{EvalError, Meter},
    value::Val,
};

/// How often sorting looks at each item, at most.
const ROUNDS: usize = 20;

pub(super) fn apply<'v>(
    function: Function,
    list: &Val<'v>,
    rest: &[Val<'v>],
    meter: &mut Meter,
) -> Evaluated<'v> {
    let items = list.visited().ok_or(EvalError::NoSuchOverload)?;
    meter.charge(items.len())?;
    match (function, rest) {
        (Function::Join, []) => join(&items, "", meter),
        (Function::Join, [Val::Text(separator)]) => join(&items, separator, meter),
        (Function::IsSorted, []) => is_sorted(&items, meter),
        (Function::Sum, []) => sum(items, meter),
        (Function::Min, []) => extreme(items, Ordering::Less, "min", meter),
        (Function::Max, []) => extreme(items, Ordering::Greater, "max", meter),
        (Function::IndexOf, [wanted]) => find(items.iter().enumerate(), wanted, meter),
        (Function::LastIndexOf, [wanted]) => find(items.iter().enumerate().rev(), wanted, meter),
        (Function::Distinct, []) => Ok(Val::list(distinct(items, meter)?)),
        (Function::Reverse, []) => Ok(Val::list(items.into_iter().rev().collect())),
        (Function::Sort, []) => sort(items, meter),
        (Function::Slice, [Val::Int(from), Val::Int(to)]) => slice(&items, *from, *to),
        (Function::First, []) => Ok(items.first().cloned().map_or(Val::Optional(None), Val::some)),
        (Function::Last, []) => Ok(items.last().cloned().map_or(Val::Optional(None), Val::some)),
        (Function::SetsContains, [other]) => contains_all(&items, &visited(other)?, meter),
        (Function::SetsIntersects, [other]) => {
            for item in visited(other)? {
                if contains(&items, &item, meter)? {
                    return Ok(Val::Bool(true));
                }
            }
            Ok(Val::Bool(false))
        }
        (Function::SetsEquivalent, [other]) => {
            let others = visited(other)?;
            match contains_all(&items, &others, meter)? {
                Val::Bool(true) => contains_all(&others, &items, meter),
                other => Ok(other),
            }
        }
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn visited<'v>(list: &Val<'v>) -> Result<Vec<Val<'v>>, EvalError> {
    list.visited().ok_or(EvalError::NoSuchOverload)
}

fn join<'v>(items: &[Val<'v>], separator: &str, meter: &mut Meter) -> Evaluated<'v> {
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        let Val::Text(text) = item else { return Err(EvalError::NoSuchOverload) };
        meter.charge_text(text.len() + separator.len())?;
        texts.push(text.as_ref());
    }
    Ok(Val::text(texts.join(separator)))
}

fn is_sorted<'v>(items: &[Val<'v>], meter: &mut Meter) -> Evaluated<'v> {
    for (before, after) in items.iter().zip(items.iter().skip(1)) {
        if operator::compare(before, after, meter)?.is_some_and(Ordering::is_gt) {
            return Ok(Val::Bool(false));
        }
    }
    Ok(Val::Bool(true))
}

fn sum<'v>(items: Vec<Val<'v>>, meter: &mut Meter) -> Evaluated<'v> {
    let mut items = items.into_iter();
    let Some(mut total) = items.next() else { return Ok(Val::Int(0)) };
    for item in items {
        total = operator::apply(Operator::Add, &total, &item, meter)?;
    }
    Ok(total)
}

fn extreme<'v>(
    items: Vec<Val<'v>>,
    wanted: Ordering,
    name: &str,
    meter: &mut Meter,
) -> Evaluated<'v> {
    let mut items = items.into_iter();
    let Some(mut best) = items.next() else {
        return Err(EvalError::failed(format!("{name} called on empty list")));
    };
    for item in items {
        if operator::compare(&item, &best, meter)? == Some(wanted) {
            best = item;
        }
    }
    Ok(best)
}

fn find<'i, 'v: 'i>(
    items: impl Iterator<Item = (usize, &'i Val<'v>)>,
    wanted: &Val<'v>,
    meter: &mut Meter,
) -> Evaluated<'v> {
    for (index, item) in items {
        if equal(item, wanted, meter)? {
            return Ok(position(Some(index)));
        }
    }
    Ok(position(None))
}

fn contains<'v>(items: &[Val<'v>], wanted: &Val<'v>, meter: &mut Meter) -> Result<bool, EvalError> {
    for item in items {
        if equal(item, wanted, meter)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn contains_all<'v>(items: &[Val<'v>], wanted: &[Val<'v>], meter: &mut Meter) -> Evaluated<'v> {
    for one in wanted {
        if !contains(items, one, meter)? {
            return Ok(Val::Bool(false));
        }
    }
    Ok(Val::Bool(true))
}

fn distinct<'v>(items: Vec<Val<'v>>, meter: &mut Meter) -> Result<Vec<Val<'v>>, EvalError> {
    let mut kept: Vec<Val<'v>> = Vec::new();
    for item in items {
        if !contains(&kept, &item, meter)? {
            kept.push(item);
        }
    }
    Ok(kept)
}

fn sort<'v>(mut items: Vec<Val<'v>>, meter: &mut Meter) -> Evaluated<'v> {
    // All is checked and paid for before, so that the order is total while sorting.
    let Some(first) = items.first() else { return Ok(Val::list(items)) };
    for item in &items {
        let alike = std::mem::discriminant(item) == std::mem::discriminant(first);
        if !alike || operator::compare(item, item, meter)? != Some(Ordering::Equal) {
            return Err(EvalError::NoSuchOverload);
        }
        meter.charge(ROUNDS)?;
    }
    let mut paid = Meter { left: u64::MAX };
    items.sort_by(|left, right| {
        operator::compare(left, right, &mut paid).ok().flatten().unwrap_or(Ordering::Equal)
    });
    Ok(Val::list(items))
}

fn slice<'v>(items: &[Val<'v>], from: i64, to: i64) -> Evaluated<'v> {
    let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
    range
        .and_then(|(from, to)| items.get(from..to))
        .map(|part| Val::list(part.to_vec()))
        .ok_or_else(|| EvalError::failed(format!("cannot slice({from}, {to})")))
}
