//! Brings the JSON of a built-in object into the one form that is stored and served: types checked, unknown members
//! gone, times and base64 in their canonical text, empty members left out or filled in as the schema says.

use core_clock::Time;
use serde_json::{Map, Value, json};

use super::{
    bytes,
    shape::{Empty, Member, Precision, Shape},
};

/// A body that is no object of its kind. Displays what comes after `… cannot be handled as a Kind: `.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(String);

/// Normalises `object`, whose kind is called `kind`.
pub(crate) fn decode(object: &mut Value, shape: &Shape, kind: &str) -> Result<(), Malformed> {
    Walk { path: kind.to_owned() }.value(object, shape)
}

/// What an object looks like of which nothing is said.
pub(crate) fn empty(shape: &Shape) -> Value {
    Walk { path: String::new() }.zero(shape)
}

struct Walk {
    path: String,
}

impl Walk {
    fn value(&mut self, value: &mut Value, shape: &Shape) -> Result<(), Malformed> {
        if value.is_null() {
            *value = self.zero(shape);
            return Ok(());
        }
        match (shape, &mut *value) {
            (Shape::Any, _)
            | (Shape::Text, Value::String(_))
            | (Shape::Boolean, Value::Bool(_)) => Ok(()),
            (Shape::Bytes, Value::String(text)) => {
                let decoded = bytes::decode(text).map_err(|e| Malformed(e.to_string()))?;
                *text = bytes::encode(&decoded);
                Ok(())
            }
            (Shape::Time(precision), Value::String(text)) => normalize_time(text, *precision),
            (Shape::Integer { wide }, Value::Number(number)) => match number.as_i64() {
                Some(integer) if *wide || i32::try_from(integer).is_ok() => Ok(()),
                _ => Err(self.mismatch(&format!("number {number}"), shape)),
            },
            (Shape::List(item), Value::Array(items)) => {
                items.iter_mut().try_for_each(|value| self.value(value, item))
            }
            (Shape::Map(entry), Value::Object(entries)) => {
                entries.values_mut().try_for_each(|value| self.value(value, entry))
            }
            (Shape::Struct(members), Value::Object(object)) => {
                object.retain(|name, _| members.contains_key(name));
                members.iter().try_for_each(|(name, member)| self.member(object, name, member))
            }
            (_, other) => Err(self.mismatch(type_of(other), shape)),
        }
    }

    fn member(
        &mut self,
        object: &mut Map<String, Value>,
        name: &str,
        member: &Member,
    ) -> Result<(), Malformed> {
        if let Some(value) = object.get_mut(name).filter(|value| !value.is_null()) {
            let length = self.path.len();
            self.path.push('.');
            self.path.push_str(name);
            self.value(value, &member.shape)?;
            self.path.truncate(length);
            if member.empty == Empty::Drop && is_empty(value) {
                object.remove(name);
            }
            return Ok(());
        }
        match member.empty {
            Empty::Drop | Empty::Keep => object.remove(name),
            Empty::Fill => object.insert(name.to_owned(), self.zero(&member.shape)),
            Empty::Null => object.insert(name.to_owned(), Value::Null),
        };
        Ok(())
    }

    /// The value that stands for "nothing given".
    fn zero(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::Text | Shape::Bytes => json!(""),
            Shape::Integer { .. } => json!(0),
            Shape::Boolean => json!(false),
            Shape::Time(_) | Shape::List(_) | Shape::Map(_) | Shape::Any => Value::Null,
            Shape::Struct(_) => {
                let mut empty = json!({});
                // An empty object has no member that could be of the wrong type.
                let _ = self.value(&mut empty, shape);
                empty
            }
        }
    }

    fn mismatch(&self, found: &str, shape: &Shape) -> Malformed {
        Malformed(format!(
            "json: cannot unmarshal {found} into Go struct field {} of type {}",
            self.path,
            shape.type_name()
        ))
    }
}

fn normalize_time(text: &mut String, precision: Precision) -> Result<(), Malformed> {
    let layout = match precision {
        Precision::Seconds => "2006-01-02T15:04:05Z07:00",
        Precision::Micros => "2006-01-02T15:04:05.000000Z07:00",
    };
    let shown: String = text.chars().take(64).collect();
    let refused = || Malformed(format!("parsing time {shown:?} as {layout:?}: not such a time"));
    let time: Time = text.parse().map_err(|_| refused())?;
    *text = match precision {
        Precision::Seconds => time.to_rfc3339_seconds(),
        Precision::Micros if has_six_decimals(text) => time.to_rfc3339_micros(),
        Precision::Micros => return Err(refused()),
    };
    Ok(())
}

fn has_six_decimals(text: &str) -> bool {
    let decimals = text.split_once('.').map_or("", |(_, rest)| rest);
    decimals.bytes().take_while(u8::is_ascii_digit).count() == 6
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
