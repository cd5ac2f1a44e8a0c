//! Conversions between types, and the constructors of optionals.

use std::borrow::Cow;

use super::count;
use crate::{
    cel::{
        evaluate::Evaluated,
        function::Function,
        library,
        program::{EvalError, Meter},
        time,
        value::Val,
    },
    number::go_float,
};

pub(super) fn apply<'v>(
    function: Function,
    arguments: &[Val<'v>],
    meter: &mut Meter,
) -> Evaluated<'v> {
    match (function, arguments) {
        (Function::ToDyn, [one]) => Ok(one.clone()),
        (Function::TypeOf, [one]) => Ok(Val::Type(one.type_name())),
        (Function::ToInt, [one]) => to_int(one),
        (Function::ToUint, [one]) => to_uint(one),
        (Function::ToDouble, [one]) => to_double(one),
        (Function::ToText, [one]) => to_text(one, meter),
        (Function::ToBool, [one]) => to_bool(one),
        (Function::ToBytes, [Val::Text(text)]) => {
            meter.charge_text(text.len())?;
            Ok(Val::Bytes(text.as_bytes().into()))
        }
        (Function::ToBytes, [Val::Bytes(bytes)]) => Ok(Val::Bytes(bytes.clone())),
        (Function::ToDuration, [one]) => to_duration(one),
        (Function::ToTimestamp, [one]) => to_timestamp(one),
        (Function::Range, [Val::Int(length)]) => range(*length, meter),
        (Function::OptionalNone, []) => Ok(Val::Optional(None)),
        (Function::Format(format), []) => Ok(Val::Item(library::Item::Format(format))),
        (Function::OptionalOf, [one]) => Ok(Val::some(one.clone())),
        (Function::OptionalOfNonZeroValue, [one]) => {
            Ok(if is_zero(one) { Val::Optional(None) } else { Val::some(one.clone()) })
        }
        (function, [Val::Text(text)]) => {
            meter.charge_text(text.len())?;
            library::construct(function, text)
        }
        _ => Err(EvalError::NoSuchOverload),
    }
}

/// The value of a type's name.
pub(in crate::cel) fn type_by_name<'v>(name: &str) -> Option<Val<'v>> {
    let known =
        ["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"];
    known.into_iter().find(|known| *known == name).map(Val::Type)
}

/// A value as error messages show it.
pub(in crate::cel) fn shown(value: &Val<'_>) -> String {
    match value {
        Val::Bool(value) => value.to_string(),
        Val::Int(value) => value.to_string(),
        Val::Uint(value) => value.to_string(),
        Val::Double(value) => go_float(*value),
        Val::Text(text) => text.chars().take(256).collect(),
        other => other.type_name().to_owned(),
    }
}

fn bad_number(text: &str, kind: &str) -> EvalError {
    let text: String = text.chars().take(64).collect();
    EvalError::failed(format!("type conversion error from 'string' to '{kind}': {text:?}"))
}

fn range<'v>(length: i64, meter: &mut Meter) -> Evaluated<'v> {
    meter.charge(usize::try_from(length).unwrap_or_default())?;
    Ok(Val::list((0..length).map(Val::Int).collect()))
}

fn to_int<'v>(value: &Val<'v>) -> Evaluated<'v> {
    let overflow = || EvalError::failed("integer overflow");
    match value {
        Val::Int(_) => Ok(value.clone()),
        Val::Uint(number) => i64::try_from(*number).map(Val::Int).map_err(|_| overflow()),
        Val::Double(number) if number.abs() < 9.2e18 =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "truncation is what int() does")]
            Ok(Val::Int(*number as i64))
        }
        Val::Double(_) => Err(overflow()),
        Val::Text(text) => text.parse().map(Val::Int).map_err(|_| bad_number(text, "int")),
        Val::Timestamp(nanos) => {
            i64::try_from(nanos.div_euclid(1_000_000_000)).map(Val::Int).map_err(|_| overflow())
        }
        Val::Duration(nanos) => Ok(Val::Int(*nanos)),
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn to_uint<'v>(value: &Val<'v>) -> Evaluated<'v> {
    let overflow = || EvalError::failed("unsigned integer overflow");
    match value {
        Val::Uint(_) => Ok(value.clone()),
        Val::Int(number) => u64::try_from(*number).map(Val::Uint).map_err(|_| overflow()),
        Val::Double(number) if (0.0..1.8e19).contains(number) =>
        {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within range; truncation is what uint() does"
            )]
            Ok(Val::Uint(*number as u64))
        }
        Val::Double(_) => Err(overflow()),
        Val::Text(text) => text.parse().map(Val::Uint).map_err(|_| bad_number(text, "uint")),
        _ => Err(EvalError::NoSuchOverload),
    }
}

#[expect(clippy::cast_precision_loss, reason = "the conversion is asked for")]
fn to_double<'v>(value: &Val<'v>) -> Evaluated<'v> {
    match value {
        Val::Double(_) => Ok(value.clone()),
        Val::Int(number) => Ok(Val::Double(*number as f64)),
        Val::Uint(number) => Ok(Val::Double(*number as f64)),
        Val::Text(text) => text.parse().map(Val::Double).map_err(|_| bad_number(text, "double")),
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn to_text<'v>(value: &Val<'v>, meter: &mut Meter) -> Evaluated<'v> {
    Ok(match value {
        Val::Text(_) => value.clone(),
        Val::Bool(_) | Val::Int(_) | Val::Uint(_) => Val::text(shown(value)),
        Val::Double(number) => Val::text(go_float(*number)),
        Val::Bytes(bytes) => {
            meter.charge_text(bytes.len())?;
            let text = String::from_utf8(bytes.to_vec()).map_err(|_| {
                EvalError::failed("invalid UTF-8 in bytes, cannot convert to string")
            })?;
            Val::Text(Cow::Owned(text))
        }
        Val::Timestamp(nanos) => Val::text(time::show_timestamp(*nanos)),
        Val::Item(item) => Val::text(item.shown().ok_or(EvalError::NoSuchOverload)?),
        Val::Duration(nanos) => {
            let (whole, rest) = (nanos / 1_000_000_000, (nanos % 1_000_000_000).unsigned_abs());
            let fraction = format!(".{rest:09}");
            let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
            let sign = if *nanos < 0 && whole == 0 { "-" } else { "" };
            Val::text(format!("{sign}{whole}{fraction}s"))
        }
        _ => return Err(EvalError::NoSuchOverload),
    })
}

fn to_bool<'v>(value: &Val<'v>) -> Evaluated<'v> {
    match value {
        Val::Bool(_) => Ok(value.clone()),
        Val::Text(text) => match text.as_ref() {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Val::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Val::Bool(false)),
            _ => Err(bad_number(text, "bool")),
        },
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn to_duration<'v>(value: &Val<'v>) -> Evaluated<'v> {
    match value {
        Val::Duration(_) => Ok(value.clone()),
        Val::Int(nanos) => Ok(Val::Duration(*nanos)),
        Val::Text(text) => {
            core_duration::parse(text).map(Val::Duration).map_err(|_| bad_number(text, "duration"))
        }
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn to_timestamp<'v>(value: &Val<'v>) -> Evaluated<'v> {
    match value {
        Val::Timestamp(_) => Ok(value.clone()),
        Val::Int(seconds) => Ok(Val::Timestamp(i128::from(*seconds) * 1_000_000_000)),
        Val::Text(text) => time::parse_timestamp(text)
            .map(Val::Timestamp)
            .ok_or_else(|| bad_number(text, "timestamp")),
        _ => Err(EvalError::NoSuchOverload),
    }
}

fn is_zero(value: &Val<'_>) -> bool {
    match value {
        Val::Null => true,
        Val::Bool(value) => !value,
        Val::Int(value) | Val::Duration(value) => *value == 0,
        Val::Uint(value) => *value == 0,
        Val::Double(value) => *value == 0.0,
        Val::Text(text) => text.is_empty(),
        Val::Bytes(bytes) => bytes.is_empty(),
        other => other.len() == Some(0),
    }
}

pub(super) fn position<'v>(found: Option<usize>) -> Val<'v> {
    found.map_or(Val::Int(-1), count)
}
