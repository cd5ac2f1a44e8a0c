//! Lists.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::builtin::{Arguments, Builtin, Order, merge_sort, to_int, wrong_type};
use crate::error::Trouble;
use crate::eval::fetch;
use crate::limits::Budget;
use crate::value::{Data, List, ListKind, Value, equal, less};

pub(super) fn call(
    builtin: Builtin,
    arguments: &Arguments<'_>,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    let value = arguments.value(0)?;
    match builtin {
        Builtin::First => Ok(fetch(value, &Value::int(0)).unwrap_or(Value::NIL)),
        Builtin::Last => Ok(fetch(value, &Value::int(-1)).unwrap_or(Value::NIL)),
        Builtin::Get => get(value, arguments.value(1)?),
        Builtin::Take => take(value, arguments.value(1)?, budget),
        Builtin::Sort => sort(value, arguments, budget),
        Builtin::Concat => concat(arguments, budget),
        Builtin::Reverse => {
            let mut items = elements(value)?.into_owned();
            items.reverse();
            budget.elements(items.len())?;
            Ok(Value::list(items))
        }
        Builtin::Uniq => unique(value, budget),
        _ => {
            let mut items = Vec::new();
            flatten(value, &mut items, budget)?;
            Ok(Value::list(items))
        }
    }
}

/// The elements of a list; bytes are numbers.
pub(crate) fn elements(value: &Value) -> Result<Cow<'_, [Value]>, Trouble> {
    match &value.data {
        Data::List(list) => Ok(Cow::Borrowed(&list.items)),
        Data::Bytes(bytes) => {
            let taint = value.is_tainted();
            let number = |byte: &u8| Value::from(Data::Uint(u64::from(*byte))).with_taint(taint);
            Ok(Cow::Owned(bytes.as_bytes().iter().map(number).collect()))
        }
        _ => Err(wrong_type(value, "array")),
    }
}

/// The element at an index, from the end when it is negative; `None` outside.
pub(crate) fn fetch_index(list: &Value, index: &Value) -> Result<Option<Value>, Trouble> {
    let index = to_int(index)?;
    let place = |length: usize| {
        let from_end = i64::try_from(length).unwrap_or(i64::MAX).checked_add(index);
        usize::try_from(if index < 0 { from_end? } else { index }).ok()
    };
    let byte = |bytes: &[u8]| {
        let byte = place(bytes.len()).and_then(|place| bytes.get(place));
        byte.map(|byte| Value::from(Data::Uint(u64::from(*byte))).with_taint(list.is_tainted()))
    };
    Ok(match &list.data {
        Data::List(list) => {
            place(list.items.len()).and_then(|place| list.items.get(place)).cloned()
        }
        Data::Text(text) | Data::Bytes(text) => byte(text.as_bytes()),
        _ => None,
    })
}

/// The bounds of a slice: negative ones count from the end, and all are cut to fit.
pub(crate) fn slice_bounds(
    length: usize,
    from: Option<&Value>,
    to: Option<&Value>,
) -> Result<Range<usize>, Trouble> {
    let whole = i64::try_from(length).unwrap_or(i64::MAX);
    let bound = |value: Option<&Value>, default: i64| -> Result<i64, Trouble> {
        let bound = value.map_or(Ok(default), to_int)?;
        let bound = if bound < 0 { whole.saturating_add(bound) } else { bound };
        Ok(bound.clamp(0, whole))
    };
    let (from, to) = (bound(from, 0)?, bound(to, whole)?);
    let place = |bound: i64| usize::try_from(bound).unwrap_or_default();
    Ok(place(from.min(to))..place(to))
}

/// Like an access, but nil where that fails for want of an entry.
fn get(value: &Value, key: &Value) -> Result<Value, Trouble> {
    match &value.data {
        Data::List(_) | Data::Text(_) | Data::Bytes(_) => {
            Ok(fetch_index(value, key)?.unwrap_or(Value::NIL))
        }
        Data::Map(map) => match &key.data {
            Data::Text(name) => Ok(map.entries.get(name).cloned().unwrap_or(Value::NIL)),
            Data::Nil => Ok(map.entries.get(&b""[..]).cloned().unwrap_or(Value::NIL)),
            _ => Err(wrong_type(key, "string")),
        },
        _ => Ok(fetch(value, key).unwrap_or(Value::NIL)),
    }
}

fn take(value: &Value, count: &Value, budget: &mut Budget) -> Result<Value, Trouble> {
    let (Data::Int(count) | Data::Duration(count)) = count.data else {
        return Err(wrong_type(count, "int"));
    };
    let count = usize::try_from(count)
        .map_err(|_| Trouble::from("cannot take a negative number of elements"))?;
    match &value.data {
        Data::List(list) => {
            budget.steps(count.min(list.items.len()))?;
            let items = list.items.iter().take(count).cloned().collect();
            Ok(Data::List(Arc::new(List::new(items, list.kind))).into())
        }
        Data::Bytes(bytes) => {
            let bytes = bytes.as_bytes();
            Ok(Data::Bytes(bytes.get(..count.min(bytes.len())).unwrap_or(bytes).into()).into())
        }
        _ => Err(wrong_type(value, "array")),
    }
}

/// What is no plain list is sorted to no list at all.
fn sort(value: &Value, arguments: &Arguments<'_>, budget: &mut Budget) -> Result<Value, Trouble> {
    let order = match arguments.optional_text(1)? {
        Some(order) => Order::named(&order.to_str())?,
        None => Order::Ascending,
    };
    let items = match &value.data {
        Data::List(list) if !matches!(list.kind, ListKind::Pair | ListKind::Pairs) => &list.items,
        _ => return Ok(Data::List(Arc::new(List::nil(ListKind::Any))).into()),
    };
    budget.elements(items.len())?;
    let compare = |left: &Value, right: &Value| match order {
        Order::Ascending => less(left, right),
        Order::Descending => less(right, left),
    };
    Ok(Value::list(merge_sort(items.clone(), compare, budget)?))
}

fn concat(arguments: &Arguments<'_>, budget: &mut Budget) -> Result<Value, Trouble> {
    let mut items = Vec::new();
    for argument in arguments.0 {
        let more = elements(argument)?;
        budget.elements(more.len())?;
        items.extend(more.iter().cloned());
    }
    if items.is_empty() {
        return Ok(Data::List(Arc::new(List::nil(ListKind::Any))).into());
    }
    Ok(Value::list(items))
}

fn unique(value: &Value, budget: &mut Budget) -> Result<Value, Trouble> {
    let mut kept: Vec<Value> = Vec::new();
    for item in elements(value)?.iter() {
        budget.scan(item.weight().saturating_mul(kept.len()))?;
        if !kept.iter().any(|known| equal(item, known)) {
            kept.push(item.clone());
        }
    }
    Ok(Value::list(kept))
}

fn flatten(value: &Value, items: &mut Vec<Value>, budget: &mut Budget) -> Result<(), Trouble> {
    for item in elements(value)?.iter() {
        match item.data {
            Data::List(_) | Data::Bytes(_) => flatten(item, items, budget)?,
            _ => {
                budget.elements(1)?;
                items.push(item.clone());
            }
        }
    }
    Ok(())
}
