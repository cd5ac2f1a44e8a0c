//! The `type` and `nullable` keywords.

use emb_meta::FieldError;
use serde_json::{Number, Value, json};

use super::structure::Walk;
use crate::{
    node::{JsonType, Node, Types},
    place::Place,
};

/// Integral floats up to this are taken as integers.
const EXACT_FLOAT: f64 = 9_007_199_254_740_991.0;

pub(super) fn check(walk: &mut Walk<'_>, node: &Node, value: &Value, place: &Place<'_>) {
    if node.types == Types::Any {
        return;
    }
    let Some(actual) = type_of(value) else {
        if !node.nullable {
            report(walk, place, node.types.names(), "null");
        }
        return;
    };
    if node.types.admits(actual) {
        return;
    }
    // A format is named instead of the type, except for text and lists: so the messages of the API have it.
    match (&node.constraints.format, actual) {
        (Some(format), JsonType::Integer) => report(walk, place, &format.text, "int64"),
        (Some(format), JsonType::Number) => report(walk, place, &format.text, "float64"),
        (Some(format), JsonType::Boolean | JsonType::Object) => {
            report(walk, place, &format.text, "");
        }
        (None, _) | (Some(_), JsonType::String | JsonType::Array) => {
            report(walk, place, node.types.names(), actual.name());
        }
    }
}

fn report(walk: &mut Walk<'_>, place: &Place<'_>, wanted: &str, actual: &str) {
    let detail = format!("{place} in body must be of type {wanted}: {actual:?}");
    walk.errors.push(FieldError::type_invalid(walk.field(place), &json!(actual), &detail));
}

fn type_of(value: &Value) -> Option<JsonType> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) => JsonType::Boolean,
        Value::Number(number) if is_integer(number) => JsonType::Integer,
        Value::Number(_) => JsonType::Number,
        Value::String(_) => JsonType::String,
        Value::Array(_) => JsonType::Array,
        Value::Object(_) => JsonType::Object,
    })
}

fn is_integer(number: &Number) -> bool {
    number.is_i64()
        || number.as_f64().is_some_and(|float| float.fract() == 0.0 && float.abs() <= EXACT_FLOAT)
}
