//! Which arguments a function or operator takes, and the type of its result.

use super::{
    access::Stage,
    ast::{Operator, Style},
    function::Function as F,
    library::{self, Library},
    types::Type as T,
};

/// The type of a call; `None` if no overload takes these arguments.
pub(super) fn call<'n>(function: F, style: Style, arguments: &[T<'n>]) -> Option<T<'n>> {
    match style {
        Style::Global => global(function, arguments),
        Style::Method => text_method(function, arguments)
            .or_else(|| list_method(function, arguments))
            .or_else(|| optional_method(function, arguments))
            .or_else(|| time_method(function, arguments))
            .or_else(|| access_method(function, arguments))
            .or_else(|| library::method(function, arguments)),
    }
}

fn is_text(found: &T<'_>) -> bool {
    matches!(found, T::Text | T::Dyn)
}

fn is_int(found: &T<'_>) -> bool {
    matches!(found, T::Int | T::Dyn)
}

fn is_sized(found: &T<'_>) -> bool {
    matches!(found, T::Text | T::Bytes | T::List(_) | T::Map(..) | T::Dyn)
}

/// Whether there is a whole number for it.
fn is_countable(found: &T<'_>) -> bool {
    matches!(found, T::Int | T::Uint | T::Double | T::Text | T::Timestamp | T::Duration | T::Dyn)
}

fn texts() -> T<'static> {
    T::List(Box::new(T::Text))
}

fn items<'n>(list: &T<'n>) -> Option<T<'n>> {
    match list {
        T::List(items) => Some((**items).clone()),
        T::Dyn => Some(T::Dyn),
        _ => None,
    }
}

fn global<'n>(function: F, arguments: &[T<'n>]) -> Option<T<'n>> {
    Some(match (function, arguments) {
        (F::Size, [one]) if is_sized(one) => T::Int,
        (F::ToInt, [one]) if is_countable(one) => T::Int,
        (F::ToUint, [T::Int | T::Uint | T::Double | T::Text | T::Dyn]) => T::Uint,
        (F::ToDouble, [T::Int | T::Uint | T::Double | T::Text | T::Dyn]) => T::Double,
        (F::ToText, [one])
            if !matches!(
                one,
                T::List(_)
                    | T::Map(..)
                    | T::Object(_)
                    | T::Record(_)
                    | T::Access(_)
                    | T::Item(Library::Quantity | Library::Url | Library::Format)
                    | T::Null
            ) =>
        {
            T::Text
        }
        (F::ToBool, [T::Bool | T::Text | T::Dyn]) => T::Bool,
        (F::ToBytes, [T::Bytes | T::Text | T::Dyn]) => T::Bytes,
        (F::ToDyn, [_]) => T::Dyn,
        (F::TypeOf, [_]) => T::OfTypes,
        (F::ToDuration, [T::Duration | T::Text | T::Int | T::Dyn]) => T::Duration,
        (F::ToTimestamp, [T::Timestamp | T::Text | T::Int | T::Dyn]) => T::Timestamp,
        (F::Matches, [text, pattern]) if is_text(text) && is_text(pattern) => T::Bool,
        (F::Range, [count]) if is_int(count) => T::List(Box::new(T::Int)),
        (F::SetsContains | F::SetsEquivalent | F::SetsIntersects, [left, right])
            if items(left)?.agrees(&items(right)?) =>
        {
            T::Bool
        }
        (F::OptionalOf | F::OptionalOfNonZeroValue, [one]) => T::Optional(Box::new(one.clone())),
        (F::OptionalNone, []) => T::Optional(Box::new(T::Dyn)),
        (F::Sign, [T::Item(Library::Quantity) | T::Dyn]) => T::Int,
        (F::Format(_), []) => T::Item(Library::Format),
        (_, [text]) if is_text(text) => return library::constructed(function),
        _ => return None,
    })
}

fn text_method<'n>(function: F, arguments: &[T<'n>]) -> Option<T<'n>> {
    let (receiver, rest) = arguments.split_first()?;
    if !is_text(receiver) {
        return None;
    }
    Some(match (function, rest) {
        (F::Size, []) => T::Int,
        (F::Contains | F::StartsWith | F::EndsWith | F::Matches, [one]) if is_text(one) => T::Bool,
        (F::Find, [one]) if is_text(one) => T::Text,
        (F::FindAll, [one]) if is_text(one) => texts(),
        (F::FindAll, [one, limit]) if is_text(one) && is_int(limit) => texts(),
        (F::CharAt, [index]) if is_int(index) => T::Text,
        (F::IndexOf | F::LastIndexOf, [one]) if is_text(one) => T::Int,
        (F::IndexOf | F::LastIndexOf, [one, from]) if is_text(one) && is_int(from) => T::Int,
        (F::LowerAscii | F::UpperAscii | F::Trim, []) => T::Text,
        (F::Replace, [old, new]) if is_text(old) && is_text(new) => T::Text,
        (F::Replace, [old, new, limit]) if is_text(old) && is_text(new) && is_int(limit) => T::Text,
        (F::Split, [separator]) if is_text(separator) => texts(),
        (F::Split, [separator, limit]) if is_text(separator) && is_int(limit) => texts(),
        (F::Substring, [from]) if is_int(from) => T::Text,
        (F::Substring, [from, to]) if is_int(from) && is_int(to) => T::Text,
        _ => return None,
    })
}

fn list_method<'n>(function: F, arguments: &[T<'n>]) -> Option<T<'n>> {
    let (receiver, rest) = arguments.split_first()?;
    if function == F::Size && rest.is_empty() && is_sized(receiver) {
        return Some(T::Int);
    }
    let item = items(receiver)?;
    let orders = !matches!(
        item,
        T::List(_) | T::Map(..) | T::Object(_) | T::Record(_) | T::Access(_) | T::Item(_) | T::Null
    );
    let sums = matches!(item, T::Int | T::Uint | T::Double | T::Duration | T::Dyn);
    Some(match (function, rest) {
        (F::Join, []) if is_text(&item) => T::Text,
        (F::Join, [separator]) if is_text(&item) && is_text(separator) => T::Text,
        (F::IsSorted, []) if orders => T::Bool,
        (F::Sum, []) if sums => item,
        (F::Min | F::Max, []) if orders => item,
        (F::IndexOf | F::LastIndexOf, [one]) if item.agrees(one) => T::Int,
        (F::Distinct | F::Reverse, []) => T::List(Box::new(item)),
        (F::Sort, []) if orders => T::List(Box::new(item)),
        (F::Slice, [from, to]) if is_int(from) && is_int(to) => T::List(Box::new(item)),
        (F::First | F::Last, []) => T::Optional(Box::new(item)),
        _ => return None,
    })
}

fn optional_method<'n>(function: F, arguments: &[T<'n>]) -> Option<T<'n>> {
    let (receiver, rest) = arguments.split_first()?;
    let inner = match receiver {
        T::Optional(inner) => (**inner).clone(),
        T::Dyn => T::Dyn,
        _ => return None,
    };
    Some(match (function, rest) {
        (F::HasValue, []) => T::Bool,
        (F::UnwrapValue, []) => inner,
        (F::OrValue, [other]) if inner.agrees(other) => inner.or(other.clone()),
        (F::OrOptional, [T::Optional(other)]) if inner.agrees(other) => receiver.clone(),
        _ => return None,
    })
}

fn time_method<'n>(function: F, arguments: &[T<'n>]) -> Option<T<'n>> {
    let is_accessor = matches!(
        function,
        F::FullYear
            | F::Month
            | F::DayOfMonth
            | F::Date
            | F::DayOfWeek
            | F::DayOfYear
            | F::Hours
            | F::Minutes
            | F::Seconds
            | F::Milliseconds
    );
    let of_duration = matches!(function, F::Hours | F::Minutes | F::Seconds | F::Milliseconds);
    match arguments {
        [T::Timestamp | T::Dyn] if is_accessor => Some(T::Int),
        [T::Duration] if of_duration => Some(T::Int),
        _ => None,
    }
}

fn access_method<'n>(function: F, arguments: &[T<'n>]) -> Option<T<'n>> {
    let (T::Access(stage), rest) = arguments.split_first()? else { return None };
    match (stage, function, rest) {
        (Stage::Decision, F::Allowed | F::Errored, []) => Some(T::Bool),
        (Stage::Decision, F::Reason | F::ErrorText, []) => Some(T::Text),
        _ if rest.iter().all(is_text) => stage.after(function, rest.len()).map(T::Access),
        _ => None,
    }
}

/// The type of an infix operation.
pub(super) fn operator<'n>(operator: Operator, left: &T<'n>, right: &T<'n>) -> Option<T<'n>> {
    match operator {
        Operator::Equal | Operator::NotEqual => left.agrees(right).then_some(T::Bool),
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
            let ordered = |one: &T<'_>| {
                !matches!(
                    one,
                    T::List(_)
                        | T::Map(..)
                        | T::Object(_)
                        | T::Record(_)
                        | T::Access(_)
                        | T::Item(_)
                        | T::Null
                        | T::OfTypes
                        | T::Optional(_)
                )
            };
            let numbers = is_number(left) && is_number(right);
            (ordered(left) && ordered(right) && (numbers || left.agrees(right))).then_some(T::Bool)
        }
        Operator::In => match right {
            T::List(items) => left.agrees(items).then_some(T::Bool),
            T::Map(keys, _) => left.agrees(keys).then_some(T::Bool),
            T::Dyn => Some(T::Bool),
            _ => None,
        },
        Operator::Add => add(left, right),
        Operator::Subtract => match (left, right) {
            (T::Timestamp, T::Timestamp) | (T::Duration, T::Duration) => Some(T::Duration),
            (T::Timestamp, T::Duration) => Some(T::Timestamp),
            _ => arithmetic(left, right),
        },
        Operator::Multiply | Operator::Divide => arithmetic(left, right),
        Operator::Remainder => {
            arithmetic(left, right).filter(|result| !matches!(result, T::Double))
        }
    }
}

fn is_number(found: &T<'_>) -> bool {
    matches!(found, T::Int | T::Uint | T::Double)
}

fn arithmetic<'n>(left: &T<'n>, right: &T<'n>) -> Option<T<'n>> {
    let result = left.clone().or(right.clone());
    let numeric = is_number(&result) || matches!(result, T::Dyn);
    (numeric && left.agrees(right)).then_some(result)
}

fn add<'n>(left: &T<'n>, right: &T<'n>) -> Option<T<'n>> {
    match (left, right) {
        (T::Timestamp, T::Duration) | (T::Duration, T::Timestamp) => Some(T::Timestamp),
        (T::Duration, T::Duration) => Some(T::Duration),
        (T::Text | T::Dyn, T::Text) | (T::Text, T::Dyn) => Some(T::Text),
        (T::Bytes | T::Dyn, T::Bytes) | (T::Bytes, T::Dyn) => Some(T::Bytes),
        (T::List(a), T::List(b)) if a.agrees(b) => {
            Some(T::List(Box::new((**a).clone().or((**b).clone()))))
        }
        (T::List(_), T::Dyn) => Some(left.clone()),
        (T::Dyn, T::List(_)) => Some(right.clone()),
        _ => arithmetic(left, right),
    }
}
