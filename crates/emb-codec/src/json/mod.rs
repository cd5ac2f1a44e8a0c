//! JSON bodies, read the way the API promises: a member given twice is remembered (the last one wins), nesting is
//! bounded, and numbers take the one form they keep from then on.

mod duplicates;
mod node;

use serde::de::DeserializeSeed;
use serde_json::{Number, Value};

use self::node::Node;

pub use crate::error::DecodeError;
pub(crate) use duplicates::Duplicates;

/// How deep objects and lists may nest.
pub const MAX_DEPTH: usize = 512;

/// A body that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The object; of a repeated member the last value.
    pub value: Value,
    /// Members that were given more than once, as `spec.items[0].name`, each path once.
    pub duplicates: Vec<String>,
}

/// Reads one JSON text.
pub fn decode(bytes: &[u8]) -> Result<Decoded, DecodeError> {
    let mut duplicates = Duplicates::default();
    let mut parser = serde_json::Deserializer::from_slice(bytes);
    // The node counts levels itself: the parser's own limit is lower and its text speaks of recursion.
    parser.disable_recursion_limit();
    let value = Node::root(&mut duplicates).deserialize(&mut parser)?;
    parser.end()?;
    Ok(Decoded { value, duplicates: duplicates.into_paths() })
}

/// Gives every number the form that [`decode`] would have given it.
pub fn normalize_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => *value = canonical(number),
        Value::Array(items) => items.iter_mut().for_each(normalize_numbers),
        Value::Object(members) => members.values_mut().for_each(normalize_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn canonical(number: &Number) -> Value {
    if let Some(signed) = number.as_i64() {
        return Value::from(signed);
    }
    match (number.as_u64(), number.as_f64()) {
        (Some(unsigned), _) => from_unsigned(unsigned),
        (None, Some(float)) => from_float(float),
        (None, None) => Value::Number(number.clone()),
    }
}

/// Integers are 64 bits with sign; larger ones lose precision, as they do for every client.
pub(crate) fn from_unsigned(unsigned: u64) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "the API keeps such numbers as floats")]
    i64::try_from(unsigned).map_or_else(|_| Value::from(unsigned as f64), Value::from)
}

/// A float without a fraction is an integer: `1.0` and `1e3` read back as `1` and `1000`.
pub(crate) fn from_float(float: f64) -> Value {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if float.fract() == 0.0 && (-LIMIT..LIMIT).contains(&float) {
        #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
        return Value::from(float as i64);
    }
    Value::from(float)
}

#[cfg(test)]
mod tests;
