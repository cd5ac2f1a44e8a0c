//! What a path finds in a document.

use serde_json::Value;

use super::{EvaluateError, Filter, Missing, Operand, Operator, Slice, Step};

/// No template yields more values.
const MAX_FOUND: usize = 1_000_000;

type Found<'a> = Result<Vec<&'a Value>, EvaluateError>;

/// Where a path begins, and what it may miss.
#[derive(Clone, Copy)]
pub(super) struct Evaluation<'a> {
    pub(super) root: &'a Value,
    pub(super) missing: Missing,
}

impl<'a> Evaluation<'a> {
    /// The values that a path finds from a value on.
    pub(super) fn path(self, path: &'a [Step], current: &'a Value) -> Found<'a> {
        let mut values = vec![current];
        let mut steps = path.iter();
        while let Some(step) = steps.next() {
            values = match step {
                Step::Recursive => return self.anywhere(steps.as_slice(), &values),
                step => self.step(step, &values)?,
            };
        }
        Ok(values)
    }

    fn step(self, step: &'a Step, values: &[&'a Value]) -> Found<'a> {
        let mut found = Vec::new();
        for value in values {
            match step {
                Step::Root => found.push(self.root),
                Step::Current | Step::Recursive => found.push(*value),
                Step::Field(name) => found.extend(self.field(value, name)?),
                Step::Wildcard => found.extend(children(value)),
                Step::Slice(slice) => found.extend(items(value, slice)?),
                Step::Union(parts) => {
                    for part in parts {
                        found.extend(self.step(part, &[value])?);
                    }
                }
                Step::Filter(filter) => {
                    for item in value.as_array().into_iter().flatten() {
                        if self.holds(filter, item)? {
                            found.push(item);
                        }
                    }
                }
            }
            if found.len() > MAX_FOUND {
                return Err(EvaluateError::TooLarge);
            }
        }
        Ok(found)
    }

    /// What the rest of a path finds in values and in all that is in them; what has no such field is passed over.
    fn anywhere(self, rest: &'a [Step], values: &[&'a Value]) -> Found<'a> {
        let lenient = Self { missing: Missing::Allowed, ..self };
        let mut found = Vec::new();
        let mut waiting: Vec<&Value> = values.iter().rev().copied().collect();
        while let Some(value) = waiting.pop() {
            match rest {
                [] => found.push(value),
                rest => found.extend(lenient.path(rest, value).unwrap_or_default()),
            }
            if found.len() > MAX_FOUND {
                return Err(EvaluateError::TooLarge);
            }
            let within: Vec<&Value> = children(value).collect();
            waiting.extend(within.into_iter().rev());
        }
        Ok(found)
    }

    fn field(self, value: &'a Value, name: &str) -> Result<Option<&'a Value>, EvaluateError> {
        match value.get(name) {
            Some(field) => Ok(Some(field)),
            None if self.missing == Missing::Allowed => Ok(None),
            None => Err(EvaluateError::NotFound(name.to_owned())),
        }
    }

    fn holds(self, filter: &'a Filter, item: &'a Value) -> Result<bool, EvaluateError> {
        // What an item does not have cannot make the whole template fail.
        let lenient = Self { missing: Missing::Allowed, ..self };
        match filter {
            Filter::Exists(operand) => Ok(!lenient.operand(operand, item)?.is_empty()),
            Filter::Compare(left, operator, right) => {
                let (left, right) = (lenient.operand(left, item)?, lenient.operand(right, item)?);
                match (left.as_slice(), right.as_slice()) {
                    ([left], [right]) => Ok(compare(left, *operator, right)),
                    ([], _) | (_, []) => Ok(false),
                    _ => Err(EvaluateError::Unfit("can only compare one element at a time")),
                }
            }
        }
    }

    fn operand(self, operand: &'a Operand, item: &'a Value) -> Found<'a> {
        match operand {
            Operand::Path(path) => self.path(path, item),
            Operand::Literal(value) => Ok(vec![value]),
        }
    }
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Object(fields) => Box::new(fields.values()),
        Value::Array(items) => Box::new(items.iter()),
        _ => Box::new(std::iter::empty()),
    }
}

fn items<'a>(value: &'a Value, slice: &Slice) -> Found<'a> {
    let Some(items) = value.as_array() else {
        return Err(EvaluateError::Unfit("the value is not an array or slice"));
    };
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let place = |index: i64| if index < 0 { index.saturating_add(length) } else { index };
    let from = place(slice.from.unwrap_or(0));
    if slice.is_index {
        let item = usize::try_from(from).ok().and_then(|from| items.get(from));
        let out = EvaluateError::OutOfBounds(slice.from.unwrap_or(0), items.len());
        return item.map(|item| vec![item]).ok_or(out);
    }
    let to = place(slice.to.unwrap_or(length)).clamp(0, length);
    let from = usize::try_from(from.clamp(0, length)).unwrap_or_default();
    let count = usize::try_from(to).unwrap_or_default().saturating_sub(from);
    let step = usize::try_from(slice.step).unwrap_or(1).max(1);
    Ok(items.iter().skip(from).take(count).step_by(step).collect())
}

fn compare(left: &Value, operator: Operator, right: &Value) -> bool {
    let order = match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Number(left), Value::Number(right)) => {
            left.as_f64().zip(right.as_f64()).and_then(|(left, right)| left.partial_cmp(&right))
        }
        _ => (left == right).then_some(std::cmp::Ordering::Equal),
    };
    match operator {
        Operator::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
        Operator::NotEqual => !order.is_some_and(std::cmp::Ordering::is_eq),
        Operator::Less => order.is_some_and(std::cmp::Ordering::is_lt),
        Operator::LessOrEqual => order.is_some_and(std::cmp::Ordering::is_le),
        Operator::Greater => order.is_some_and(std::cmp::Ordering::is_gt),
        Operator::GreaterOrEqual => order.is_some_and(std::cmp::Ordering::is_ge),
    }
}
