//! Equality and order.

use std::cmp::Ordering;

use crate::error::Trouble;
use crate::value::{Data, List, Value};

/// Whether two values are equal for `==` and `in`: numbers by size, elements of lists likewise,
/// everything within maps and objects also by type.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    if let Some(ordering) = compare_numbers(left, right) {
        return ordering == Some(Ordering::Equal);
    }
    match (&left.data, &right.data) {
        (Data::Moment(left), Data::Moment(right)) => left.at == right.at,
        (Data::List(left), Data::List(right)) => lists_equal(left, right),
        (Data::List(list), Data::Bytes(bytes)) | (Data::Bytes(bytes), Data::List(list)) => {
            let items = bytes.as_bytes().iter().map(|byte| Data::Uint(u64::from(*byte)).into());
            list.items.len() == bytes.len()
                && list.items.iter().zip(items).all(|(left, right): (_, Value)| equal(left, &right))
        }
        _ => (left.is_nil() && right.is_nil()) || same(left, right),
    }
}

fn lists_equal(left: &List, right: &List) -> bool {
    let comparable = left.kind == right.kind || is_flat(left) || is_flat(right);
    comparable
        && left.items.len() == right.items.len()
        && left.items.iter().zip(&right.items).all(|(left, right)| equal(left, right))
}

fn is_flat(list: &List) -> bool {
    use super::ListKind::{Any, Pair, Pairs};
    list.kind == Any || !matches!(list.kind, Pair | Pairs)
}

/// Whether two values are the same in type and content.
fn same(left: &Value, right: &Value) -> bool {
    match (&left.data, &right.data) {
        (Data::Nil, Data::Nil) => true,
        (Data::Bool(left), Data::Bool(right)) => left == right,
        (Data::Int(left), Data::Int(right)) | (Data::Duration(left), Data::Duration(right)) => {
            left == right
        }
        (Data::Uint(left), Data::Uint(right)) => left == right,
        (Data::Float(left), Data::Float(right)) => left.partial_cmp(right) == Some(Ordering::Equal),
        (Data::Text(left), Data::Text(right)) | (Data::Bytes(left), Data::Bytes(right)) => {
            left == right
        }
        (Data::Month(left), Data::Month(right)) | (Data::Weekday(left), Data::Weekday(right)) => {
            left == right
        }
        (Data::Moment(left), Data::Moment(right)) => left.at == right.at,
        (Data::Zone(left), Data::Zone(right)) => left.name() == right.name(),
        (Data::Version(left), Data::Version(right)) => left == right,
        (Data::List(left), Data::List(right)) => {
            left.kind == right.kind && all_same(left.items.iter(), right.items.iter())
        }
        (Data::Map(left), Data::Map(right)) => {
            left.holds_texts == right.holds_texts
                && left.entries.len() == right.entries.len()
                && left.entries.keys().eq(right.entries.keys())
                && all_same(left.entries.values(), right.entries.values())
        }
        (Data::Pairs(left), Data::Pairs(right)) => {
            left.entries.len() == right.entries.len()
                && left.entries.iter().all(|(key, value)| {
                    right
                        .entries
                        .iter()
                        .any(|(other, theirs)| same(key, other) && same(value, theirs))
                })
        }
        (Data::Object(left), Data::Object(right)) => {
            std::ptr::eq(left.of, right.of) && all_same(left.values.iter(), right.values.iter())
        }
        _ => false,
    }
}

fn all_same<'a>(
    left: impl ExactSizeIterator<Item = &'a Value>,
    right: impl ExactSizeIterator<Item = &'a Value>,
) -> bool {
    left.len() == right.len() && left.zip(right).all(|(left, right)| same(left, right))
}

/// How two numbers compare; `None` when they are not two numbers, `Some(None)` when one of them is
/// not a number at all.
#[expect(clippy::option_option, reason = "no order of numbers differs from no numbers")]
fn compare_numbers(left: &Value, right: &Value) -> Option<Option<Ordering>> {
    match (number(left)?, number(right)?) {
        (Number::Whole(left), Number::Whole(right)) => Some(Some(left.cmp(&right))),
        (left, right) => Some(left.to_float().partial_cmp(&right.to_float())),
    }
}

#[derive(Clone, Copy)]
enum Number {
    Whole(i64),
    Real(f64),
}

impl Number {
    #[expect(clippy::cast_precision_loss, reason = "numbers of both kinds compare as floats")]
    fn to_float(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Real(number) => number,
        }
    }
}

fn number(value: &Value) -> Option<Number> {
    match value.data {
        Data::Int(number) => Some(Number::Whole(number)),
        Data::Uint(number) => Some(Number::Whole(number.cast_signed())),
        Data::Float(number) => Some(Number::Real(number)),
        _ => None,
    }
}

/// The four comparisons of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
}

impl Relation {
    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::Greater => ">",
            Self::LessOrEqual => "<=",
            Self::GreaterOrEqual => ">=",
        }
    }

    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Less => ordering.is_lt(),
            Self::Greater => ordering.is_gt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

/// Whether two numbers, texts, times or durations are in a relation of order.
pub(crate) fn related(left: &Value, relation: Relation, right: &Value) -> Result<bool, Trouble> {
    let ordering = match compare_numbers(left, right) {
        Some(ordering) => ordering,
        None => match (&left.data, &right.data) {
            (Data::Text(left), Data::Text(right)) => Some(left.cmp(right)),
            (Data::Moment(left), Data::Moment(right)) => Some(left.at.cmp(&right.at)),
            (Data::Duration(left), Data::Duration(right)) => Some(left.cmp(right)),
            _ => {
                return Err(Trouble::Invalid(format!(
                    "invalid operation: {} {} {}",
                    left.type_name(),
                    relation.symbol(),
                    right.type_name()
                )));
            }
        },
    };
    Ok(ordering.is_some_and(|ordering| relation.holds(ordering)))
}

/// Whether `left` comes before `right`.
pub(crate) fn less(left: &Value, right: &Value) -> Result<bool, Trouble> {
    related(left, Relation::Less, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_equal_by_size_except_within_maps() {
        assert!(equal(&Value::int(1), &Value::float(1.0)));
        assert!(equal(&Value::list(vec![Value::int(1)]), &Value::list(vec![Value::float(1.0)])));
        let map = |value| Value::map([("a", value)]);
        assert!(equal(&map(Value::int(1)), &map(Value::int(1))));
        assert!(!equal(&map(Value::int(1)), &map(Value::float(1.0))));
        assert!(!equal(&Value::float(f64::NAN), &Value::float(f64::NAN)));
    }

    #[test]
    fn only_like_things_have_an_order() {
        assert!(less(&Value::text("B"), &Value::text("a")).unwrap());
        assert!(less(&Value::int(1), &Value::text("a")).is_err());
    }
}
