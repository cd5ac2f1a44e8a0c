//! Values of JSON and values of templates.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::Value;
use serde_json::Value as Json;

/// The value of a template. Numbers without a fraction are integers.
pub(crate) fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(integer), _) => Value::Int(integer),
            (None, Some(integer)) => Value::Uint(integer),
            (None, None) => Value::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => items.iter().map(from_json).collect::<Vec<_>>().into(),
        Json::Object(members) => {
            let entries =
                members.iter().map(|(key, value)| (Arc::from(key.as_str()), from_json(value)));
            entries.collect::<BTreeMap<Arc<str>, Value>>().into()
        }
    }
}

/// The value of JSON. What JSON has no form for is null.
pub(crate) fn to_json(value: &Value) -> Json {
    match value {
        Value::Bool(truth) => Json::Bool(*truth),
        Value::Int(integer) => Json::from(*integer),
        Value::Uint(integer) => Json::from(*integer),
        Value::Float(number) => Json::from(*number),
        Value::String(text) => Json::from(&**text),
        Value::List(items) => items.iter().map(to_json).collect(),
        Value::Map(entries) => {
            entries.iter().map(|(key, value)| (key.to_string(), to_json(value))).collect()
        }
        _ => Json::Null,
    }
}

/// The text of a value: texts as they are, others as they are printed.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Nil => String::new(),
        other => other.to_string(),
    }
}

/// The integer of a value; zero when it is none.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a conversion that truncates is what is asked for"
)]
pub(crate) fn integer(value: &Value) -> i64 {
    match value {
        Value::Bool(truth) => i64::from(*truth),
        Value::Int(integer) => *integer,
        Value::Uint(integer) => i64::try_from(*integer).unwrap_or(i64::MAX),
        Value::Float(number) => *number as i64,
        Value::String(text) => text.trim().parse().unwrap_or_default(),
        _ => 0,
    }
}

/// The number of a value; zero when it is none.
#[expect(clippy::cast_precision_loss, reason = "a conversion that rounds is what is asked for")]
pub(crate) fn number(value: &Value) -> f64 {
    match value {
        Value::Bool(truth) => f64::from(u8::from(*truth)),
        Value::Int(integer) => *integer as f64,
        Value::Uint(integer) => *integer as f64,
        Value::Float(number) => *number,
        Value::String(text) => text.trim().parse().unwrap_or_default(),
        _ => 0.0,
    }
}
