//! The values that updates write.

use serde_json::{Number, Value};

use crate::{EditError, text};

/// A new value for a place in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
}

impl Scalar {
    /// The scalar of an update of `key`. Lists and objects are refused, and null where the format has none.
    pub fn of_update(key: &str, value: &Value, allows_null: bool) -> Result<Self, EditError> {
        let refused = |found| EditError::Value {
            key: key.to_owned(),
            found,
            wanted: if allows_null {
                "text, a number, a boolean or null"
            } else {
                "text, a number or a boolean"
            },
        };
        match value {
            Value::Null if allows_null => Ok(Self::Null),
            Value::Null => Err(refused("null")),
            Value::Bool(truth) => Ok(Self::Bool(*truth)),
            Value::Number(number) => Ok(Self::Number(number.clone())),
            Value::String(text) => Ok(Self::Text(text.clone())),
            Value::Array(_) => Err(refused("a list")),
            Value::Object(_) => Err(refused("an object")),
        }
    }

    /// How it is written in YAML, JSON and messages; `None` for a text, which each writes in its own way.
    pub(crate) fn literal(&self) -> Option<String> {
        match self {
            Self::Null => Some("null".to_owned()),
            Self::Bool(truth) => Some(truth.to_string()),
            Self::Number(number) => Some(text::number(number)),
            Self::Text(_) => None,
        }
    }
}
