//! Arbitrary JSON within objects.
//!
//! The API server must neither prune nor check it, so its fields have no `type` and keep unknown
//! fields. In Rust they are `serde_json::Value` where somebody works with them, and [`Json`] where
//! they are mostly carried along.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::small_map::SmallMap;

/// One JSON value in little memory: an object takes as much as its members do, where one of
/// `serde_json` has room for eleven. Made of a [`Value`], and made into one to be worked with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Value")]
pub struct Json(Node);

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Node {
    Null,
    Bool(bool),
    Number(Number),
    Text(Box<str>),
    List(Box<[Self]>),
    Object(SmallMap<Self>),
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self(value.into())
    }
}

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        (&json.0).into()
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text.into()),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.into_iter().map(|(name, it)| (name, it.into())).collect())
            }
        }
    }
}

impl From<&Node> for Value {
    fn from(node: &Node) -> Self {
        match node {
            Node::Null => Self::Null,
            Node::Bool(value) => Self::Bool(*value),
            Node::Number(number) => Self::Number(number.clone()),
            Node::Text(text) => Self::String(text.to_string()),
            Node::List(items) => Self::Array(items.iter().map(Self::from).collect()),
            Node::Object(members) => {
                let members = members.iter().map(|(name, it)| (name.clone(), it.into()));
                Self::Object(members.collect::<Map<_, _>>())
            }
        }
    }
}

/// Schema of one arbitrary JSON value.
pub(crate) fn any(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
}

/// Schema of a map from text to arbitrary JSON.
pub(crate) fn map(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": any(generator) })
}

/// Schema of a list of arbitrary JSON.
pub(crate) fn list(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": any(generator) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            prop::bool::ANY.prop_map(Value::from),
            prop::num::i64::ANY.prop_map(Value::from),
            prop::num::f32::ANY.prop_map(|number| json!(f64::from(number))),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-e]{0,2}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn keeps_any_value_and_writes_it_as_it_was(value in values()) {
            let json = Json::from(value.clone());
            prop_assert_eq!(&Value::from(&json), &value);
            prop_assert_eq!(serde_json::to_string(&json).unwrap(), value.to_string());
            prop_assert_eq!(serde_json::from_value::<Json>(value).unwrap(), json);
        }
    }
}
