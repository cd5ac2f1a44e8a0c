//! Follows paths.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Filter, JsonPathError, MAX_VALUES, Operand, Operator, Slice, Step};

type Found<'a> = Result<Vec<&'a Value>, JsonPathError>;

/// All values that the steps lead to from `start`.
pub(super) fn follow<'a>(steps: &[Step], start: &'a Value, root: &'a Value) -> Found<'a> {
    let mut found = vec![start];
    for step in steps {
        found = take(step, &found, root)?;
    }
    Ok(found)
}

fn take<'a>(step: &Step, values: &[&'a Value], root: &'a Value) -> Found<'a> {
    let mut found = Vec::new();
    match step {
        Step::Root => found.push(root),
        Step::Field(name) => {
            found.extend(values.iter().filter_map(|value| value.get(name)));
            // Below `..` many values lack the field; only when all do it is missing.
            if found.is_empty() {
                return Err(JsonPathError::NotFound(name.clone()));
            }
        }
        Step::Every => values.iter().for_each(|value| found.extend(children(value))),
        Step::Descend => {
            for value in values {
                descend(value, &mut found)?;
            }
        }
        Step::Slice(slice) => {
            for value in values {
                found.extend(slice.of(value)?);
            }
        }
        Step::Union(choices) => {
            for choice in choices {
                found.extend(take(choice, values, root)?);
            }
        }
        Step::Filter(filter) => {
            for value in values {
                // Only items of lists are looked at.
                let items = value.as_array().into_iter().flatten();
                found.extend(items.filter(|item| filter.accepts(item, root)));
            }
        }
    }
    if found.len() > MAX_VALUES {
        return Err(JsonPathError::TooMany);
    }
    Ok(found)
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

/// The value and all beneath it. Documents are read with a bound on their depth.
fn descend<'a>(value: &'a Value, found: &mut Vec<&'a Value>) -> Result<(), JsonPathError> {
    if found.len() >= MAX_VALUES {
        return Err(JsonPathError::TooMany);
    }
    found.push(value);
    children(value).into_iter().try_for_each(|child| descend(child, found))
}

impl Slice {
    fn of(self, value: &Value) -> Found<'_> {
        let items = match value {
            Value::Array(items) => items,
            Value::Null => return Ok(Vec::new()),
            _ => return Err(JsonPathError::NoArray),
        };
        let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let at = |index: i64| usize::try_from(index).ok().and_then(|index| items.get(index));
        match self {
            Self::Index(index) => {
                let from_start = if index < 0 { index.saturating_add(length) } else { index };
                let out_of_bounds = JsonPathError::OutOfBounds { index, length: items.len() };
                at(from_start).map(|item| vec![item]).ok_or(out_of_bounds)
            }
            Self::Range { from, to, step } => {
                let clamp = |bound: i64| {
                    let bound = if bound < 0 { bound.saturating_add(length) } else { bound };
                    bound.clamp(0, length)
                };
                let (from, to) = (clamp(from.unwrap_or(0)), clamp(to.unwrap_or(length)));
                let step = usize::try_from(step).unwrap_or(1).max(1);
                Ok((from..to).step_by(step).filter_map(at).collect())
            }
        }
    }
}

impl Filter {
    fn accepts(&self, item: &Value, root: &Value) -> bool {
        let Some(left) = self.left.value(item, root) else { return false };
        let Some((operator, right)) = &self.comparison else { return true };
        right.value(item, root).is_some_and(|right| operator.holds(left, right))
    }
}

impl Operand {
    fn value<'a>(&'a self, item: &'a Value, root: &'a Value) -> Option<&'a Value> {
        match self {
            Self::Literal(value) => Some(value),
            Self::Path(steps) => follow(steps, item, root).ok()?.into_iter().next(),
        }
    }
}

impl Operator {
    /// What cannot be ordered is only equal or not.
    fn holds(self, left: &Value, right: &Value) -> bool {
        let ordering = order(left, right);
        let is_equal = ordering.map_or(left == right, Ordering::is_eq);
        match self {
            Self::Equal => is_equal,
            Self::NotEqual => !is_equal,
            Self::Less => ordering.is_some_and(Ordering::is_lt),
            Self::LessOrEqual => ordering.is_some_and(Ordering::is_le),
            Self::Greater => ordering.is_some_and(Ordering::is_gt),
            Self::GreaterOrEqual => ordering.is_some_and(Ordering::is_ge),
        }
    }
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64()?.partial_cmp(&right.as_f64()?),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}
