//! How the content of a field becomes a JSON value.

use base64::{Engine, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{
    Malformed, ProtobufError, message,
    table::Kind,
    wire::{Field, Fields},
};
use crate::json;

impl Kind {
    /// The value that a field of a message at some depth holds.
    pub(super) fn read(&self, field: &Field<'_>, depth: usize) -> Result<Value, ProtobufError> {
        Ok(match self {
            Self::Text => Value::from(field.text()?),
            Self::Bool => Value::from(field.varint()? != 0),
            Self::Int => Value::from(field.varint()?.cast_signed()),
            Self::Double => double(field)?,
            Self::Bytes => Value::from(STANDARD.encode(field.bytes()?)),
            Self::Time => time(field, Precision::Seconds)?,
            Self::MicroTime => time(field, Precision::Micros)?,
            Self::RawJson => raw_json(field)?,
            Self::TextList => text_list(field)?,
            Self::Message(table) => message::read_value(table, field.bytes()?, depth + 1)?,
        })
    }

    /// What a map entry without a value holds.
    pub(super) fn empty(&self) -> Value {
        match self {
            Self::Text | Self::Bytes => Value::from(""),
            Self::Bool => Value::from(false),
            Self::Int | Self::Double => Value::from(0),
            Self::Time | Self::MicroTime | Self::RawJson => Value::Null,
            Self::TextList => Value::Array(Vec::new()),
            Self::Message(_) => Value::Object(Map::new()),
        }
    }
}

fn double(field: &Field<'_>) -> Result<Value, Malformed> {
    let double = field.double()?;
    if double.is_finite() { Ok(json::from_float(double)) } else { Err(field.invalid("number")) }
}

#[derive(Clone, Copy)]
enum Precision {
    Seconds,
    Micros,
}

fn time(field: &Field<'_>, precision: Precision) -> Result<Value, Malformed> {
    let (mut seconds, mut nanos) = (0_i64, 0_i64);
    for part in Fields::new(field.bytes()?) {
        let part = part?;
        match part.number {
            1 => seconds = part.varint()?.cast_signed(),
            2 => nanos = part.varint()?.cast_signed(),
            _ => {}
        }
    }
    if (seconds, nanos) == (0, 0) {
        return Ok(Value::Null);
    }
    let invalid = || field.invalid("time");
    // Neither form keeps more, and printing must not round up.
    let nanos = match precision {
        Precision::Seconds => 0,
        Precision::Micros => i32::try_from(nanos / 1000 * 1000).map_err(|_| invalid())?,
    };
    let time = Timestamp::new(seconds, nanos).map_err(|_| invalid())?;
    Ok(Value::from(match precision {
        Precision::Seconds => format!("{time:.0}"),
        Precision::Micros => format!("{time:.6}"),
    }))
}

fn raw_json(field: &Field<'_>) -> Result<Value, Malformed> {
    let mut value = Value::Null;
    for part in Fields::new(field.bytes()?) {
        let part = part?;
        if part.number == 1 && !part.bytes()?.is_empty() {
            value = json::decode(part.bytes()?).map_err(|_| field.invalid("JSON"))?.value;
        }
    }
    Ok(value)
}

fn text_list(field: &Field<'_>) -> Result<Value, Malformed> {
    let mut items = Vec::new();
    for part in Fields::new(field.bytes()?) {
        let part = part?;
        if part.number == 1 {
            items.push(Value::from(part.text()?));
        }
    }
    Ok(Value::Array(items))
}
