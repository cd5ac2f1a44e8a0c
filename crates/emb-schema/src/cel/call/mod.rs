//! Function calls.

mod convert;
mod list;
mod text;

use super::{
    ast::Call,
    evaluate::Evaluated,
    function::Function,
    program::{EvalError, Meter},
    time::Civil,
    value::Val,
};

pub(super) use convert::{shown, type_by_name};

/// Calls a function with evaluated arguments.
pub(super) fn apply<'v>(call: &Call, arguments: &[Val<'v>], meter: &mut Meter) -> Evaluated<'v> {
    if let (Function::Matches | Function::Find | Function::FindAll, [text, pattern, limit @ ..]) =
        (call.function, arguments)
    {
        return text::search(call, text, pattern, limit.first(), meter);
    }
    match (call.function, arguments) {
        (Function::Size, [Val::Text(text)]) => {
            meter.charge_text(text.len())?;
            Ok(count(text.chars().count()))
        }
        (Function::Size, [Val::Bytes(bytes)]) => Ok(count(bytes.len())),
        (Function::Size, [other]) => other.len().map(count).ok_or(EvalError::NoSuchOverload),
        (function, [Val::Text(text), rest @ ..]) => text::apply(function, text, rest, meter)
            .or_else(|error| match error {
                EvalError::NoSuchOverload => convert::apply(function, arguments, meter),
                other => Err(other),
            }),
        (function, [list, rest @ ..]) if list.is_list() && !is_conversion(function) => {
            list::apply(function, list, rest, meter)
        }
        (function, [Val::Timestamp(at)]) if !is_conversion(function) => {
            timestamp_part(function, *at)
        }
        (function, [Val::Duration(nanos)]) if !is_conversion(function) => {
            duration_part(function, *nanos)
        }
        (function, [Val::Access(question), rest @ ..]) if !is_conversion(function) => {
            question.call(function, rest, meter)
        }
        (function, [Val::Item(item), rest @ ..]) if !is_conversion(function) => {
            item.call(function, rest, meter)
        }
        (function, [Val::Optional(inner), rest @ ..]) if !is_conversion(function) => {
            optional(function, inner.as_deref(), rest)
        }
        (function, _) => convert::apply(function, arguments, meter),
    }
}

fn is_conversion(function: Function) -> bool {
    matches!(
        function,
        Function::ToInt
            | Function::ToUint
            | Function::ToDouble
            | Function::ToText
            | Function::ToBool
            | Function::ToBytes
            | Function::ToDyn
            | Function::TypeOf
            | Function::ToDuration
            | Function::ToTimestamp
            | Function::OptionalOf
            | Function::OptionalOfNonZeroValue
    )
}

pub(super) fn count<'v>(items: usize) -> Val<'v> {
    Val::Int(i64::try_from(items).unwrap_or(i64::MAX))
}

fn optional<'v>(function: Function, inner: Option<&Val<'v>>, rest: &[Val<'v>]) -> Evaluated<'v> {
    match (function, rest) {
        (Function::HasValue, []) => Ok(Val::Bool(inner.is_some())),
        (Function::UnwrapValue, []) => {
            inner.cloned().ok_or_else(|| EvalError::failed("optional.none() dereference"))
        }
        (Function::OrValue, [other]) => Ok(inner.unwrap_or(other).clone()),
        (Function::OrOptional, [other]) => {
            Ok(inner.map_or_else(|| other.clone(), |inner| Val::some(inner.clone())))
        }
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn timestamp_part<'v>(function: Function, nanos: i128) -> Evaluated<'v> {
    let civil = Civil::of(nanos);
    Ok(Val::Int(match function {
        Function::FullYear => civil.year,
        Function::Month => civil.month,
        Function::DayOfMonth => civil.day,
        Function::Date => civil.day + 1,
        Function::DayOfWeek => civil.day_of_week,
        Function::DayOfYear => civil.day_of_year,
        Function::Hours => civil.hours,
        Function::Minutes => civil.minutes,
        Function::Seconds => civil.seconds,
        Function::Milliseconds => civil.milliseconds,
        _ => return Err(EvalError::NoSuchOverload),
    }))
}

fn duration_part<'v>(function: Function, nanos: i64) -> Evaluated<'v> {
    Ok(Val::Int(match function {
        Function::Hours => nanos / 3_600_000_000_000,
        Function::Minutes => nanos / 60_000_000_000,
        Function::Seconds => nanos / 1_000_000_000,
        Function::Milliseconds => nanos / 1_000_000 % 1000,
        _ => return Err(EvalError::NoSuchOverload),
    }))
}
