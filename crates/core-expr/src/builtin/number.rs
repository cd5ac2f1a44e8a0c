//! Numbers and bits.

use crate::builtin::{Arguments, Builtin};
use crate::error::Trouble;
use crate::go::{parse_float, parse_int};
use crate::value::{Data, Value};

pub(super) fn call(builtin: Builtin, arguments: &Arguments<'_>) -> Result<Value, Trouble> {
    let value = arguments.value(0)?;
    let data = match builtin {
        Builtin::Abs => absolute(value),
        Builtin::Ceil => to_float(value).map(|number| Data::Float(number.ceil())),
        Builtin::Floor => to_float(value).map(|number| Data::Float(number.floor())),
        Builtin::Round => to_float(value).map(|number| Data::Float(number.round())),
        Builtin::Int => int(value),
        Builtin::Float => float(value),
        Builtin::BitNot => Some(Data::Int(!bits(value)?)),
        _ => return bitwise(builtin, bits(value)?, bits(arguments.value(1)?)?),
    };
    data.map(Value::from).ok_or_else(|| {
        let (name, given) = (builtin.name(), value.type_name());
        Trouble::Invalid(format!("invalid operation: {name}({given})"))
    })
}

fn absolute(value: &Value) -> Option<Data> {
    Some(match value.data {
        Data::Int(number) => Data::Int(number.wrapping_abs()),
        Data::Uint(number) => Data::Uint(number),
        Data::Float(number) => Data::Float(if number < 0.0 { -number } else { number }),
        _ => return None,
    })
}

/// A number as a float.
#[expect(clippy::cast_precision_loss, reason = "that is what the conversion does")]
pub(super) fn to_float(value: &Value) -> Option<f64> {
    match value.data {
        Data::Int(number) => Some(number as f64),
        Data::Uint(number) => Some(number as f64),
        Data::Float(number) => Some(number),
        _ => None,
    }
}

fn int(value: &Value) -> Option<Data> {
    let number = match &value.data {
        Data::Text(text) => parse_int(&text.to_str())?,
        Data::Duration(number) => *number,
        Data::Month(number) | Data::Weekday(number) => i64::from(*number),
        _ => to_int(value).ok()?,
    };
    Some(Data::Int(number))
}

fn float(value: &Value) -> Option<Data> {
    match &value.data {
        Data::Text(text) => parse_float(&text.to_str()).map(Data::Float),
        _ => to_float(value).map(Data::Float),
    }
}

/// A number as a whole one, cut towards zero. What does not fit becomes the smallest one.
pub(crate) fn to_int(value: &Value) -> Result<i64, Trouble> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    match value.data {
        Data::Int(number) => Ok(number),
        Data::Uint(number) => Ok(number.cast_signed()),
        #[expect(clippy::cast_possible_truncation, reason = "cutting is the point")]
        Data::Float(number) if (-LIMIT..LIMIT).contains(&number) => Ok(number as i64),
        Data::Float(_) => Ok(i64::MIN),
        _ => Err(Trouble::Invalid(format!("invalid operation: int({})", value.type_name()))),
    }
}

fn bits(value: &Value) -> Result<i64, Trouble> {
    match value.data {
        Data::Int(_) | Data::Uint(_) => to_int(value),
        _ => Err(Trouble::Invalid(format!(
            "cannot use {} as argument (type int)",
            value.type_name()
        ))),
    }
}

fn bitwise(builtin: Builtin, left: i64, right: i64) -> Result<Value, Trouble> {
    let shift = || {
        u32::try_from(right.min(64))
            .map_err(|_| Trouble::Invalid(format!("negative shift count {right}")))
    };
    Ok(Value::int(match builtin {
        Builtin::BitAnd => left & right,
        Builtin::BitOr => left | right,
        Builtin::BitXor => left ^ right,
        Builtin::BitNand => left & !right,
        Builtin::BitShl => left.checked_shl(shift()?).unwrap_or(0),
        Builtin::BitShr => left.checked_shr(shift()?).unwrap_or(left >> 63),
        _ => left.cast_unsigned().checked_shr(shift()?).unwrap_or(0).cast_signed(),
    }))
}
