//! Maps. Their entries come in the order of their keys.

use std::sync::Arc;

use crate::builtin::{Arguments, Builtin, elements, merge_sort, wrong_type};
use crate::error::Trouble;
use crate::limits::Budget;
use crate::value::{Data, List, ListKind, PairMap, Value, equal, less};

pub(super) fn call(
    builtin: Builtin,
    arguments: &Arguments<'_>,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    let value = arguments.value(0)?;
    if builtin == Builtin::FromPairs {
        return from_pairs(value, budget);
    }
    let entries = entries(value, budget)?;
    budget.elements(entries.len())?;
    Ok(match builtin {
        Builtin::Keys => Value::list(entries.into_iter().map(|(key, _)| key).collect()),
        Builtin::Values => Value::list(entries.into_iter().map(|(_, value)| value).collect()),
        _ => {
            let pair = |(key, value)| list(vec![key, value], ListKind::Pair);
            list(entries.into_iter().map(pair).collect(), ListKind::Pairs)
        }
    })
}

fn list(items: Vec<Value>, kind: ListKind) -> Value {
    Data::List(Arc::new(List::new(items, kind))).into()
}

fn entries(value: &Value, budget: &mut Budget) -> Result<Vec<(Value, Value)>, Trouble> {
    match &value.data {
        Data::Map(map) => Ok(map
            .entries
            .iter()
            .map(|(key, item)| {
                (Value::text(key.clone()).with_taint(value.has_own_taint()), item.clone())
            })
            .collect()),
        Data::Pairs(pairs) => {
            // Keys of different types have no order and stay where they are.
            let is_before = |left: &(Value, Value), right: &(Value, Value)| {
                Ok(less(&left.0, &right.0).unwrap_or(false))
            };
            let entries = merge_sort(pairs.entries.clone(), is_before, budget)?;
            Ok(entries)
        }
        _ => Err(wrong_type(value, "map")),
    }
}

fn from_pairs(value: &Value, budget: &mut Budget) -> Result<Value, Trouble> {
    let mut entries: Vec<(Value, Value)> = Vec::new();
    for pair in elements(value)?.iter() {
        let items = elements(pair)?;
        let [key, value] = items.as_ref() else {
            return Err(Trouble::Invalid(format!("invalid pair length {}", items.len())));
        };
        if matches!(key.data, Data::List(_) | Data::Map(_) | Data::Pairs(_) | Data::Bytes(_)) {
            return Err(wrong_type(key, "simple key"));
        }
        budget.scan(key.weight().saturating_mul(entries.len()))?;
        match entries.iter_mut().find(|(known, _)| equal(known, key)) {
            Some((_, known)) => *known = value.clone(),
            None => entries.push((key.clone(), value.clone())),
        }
    }
    budget.elements(entries.len())?;
    Ok(Data::Pairs(Arc::new(PairMap::new(entries, false))).into())
}
