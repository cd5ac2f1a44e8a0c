//! What the JSON of a built-in kind must look like, compiled from its schema: the types of its members and what becomes
//! of empty ones. Built-in kinds have typed readers in every other implementation, so a value of the wrong type is a
//! malformed request (400), not an invalid object (422).

use std::collections::BTreeMap;

use serde_json::Value;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Bytes,
    Time(Precision),
    Integer { wide: bool },
    Boolean,
    List(Box<Self>),
    Map(Box<Self>),
    Struct(BTreeMap<String, Member>),
    Any,
}

/// How exact a time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Seconds,
    Micros,
}

/// A named member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) shape: Shape,
    pub(crate) empty: Empty,
}

/// What becomes of a member without content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Empty {
    /// `""`, `0`, `false`, `[]` and `{}` are left out.
    Drop,
    /// They stay as given; an absent member stays absent.
    Keep,
    /// An absent member is written as the empty value of its type.
    Fill,
    /// An absent member is written as null.
    Null,
}

impl Shape {
    /// Reads a schema whose references are already replaced.
    pub(crate) fn compile(schema: &Value) -> Self {
        let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
        match schema.get("type").and_then(Value::as_str).unwrap_or_default() {
            "string" => Self::compile_text(schema, format),
            "integer" => Self::Integer { wide: format != "int32" },
            "boolean" => Self::Boolean,
            "array" => Self::List(Box::new(Self::inner(schema, "items"))),
            "object" if schema.get("additionalProperties").is_some() => {
                Self::Map(Box::new(Self::inner(schema, "additionalProperties")))
            }
            "object" => match schema.get("properties").and_then(Value::as_object) {
                Some(properties) => Self::Struct(
                    properties
                        .iter()
                        .map(|(name, schema)| (name.clone(), Member::compile(schema)))
                        .collect(),
                ),
                None => Self::Any,
            },
            _ => Self::Any,
        }
    }

    fn compile_text(schema: &Value, format: &str) -> Self {
        match (schema.get("x-time").and_then(Value::as_str), format) {
            (Some("micro"), _) => Self::Time(Precision::Micros),
            (Some(_), _) => Self::Time(Precision::Seconds),
            (None, "byte") => Self::Bytes,
            (None, _) => Self::Text,
        }
    }

    fn inner(schema: &Value, member: &str) -> Self {
        schema.get(member).map_or(Self::Any, Self::compile)
    }

    /// The type as error texts name it.
    pub(crate) fn type_name(&self) -> String {
        match self {
            Self::Text => "string".to_owned(),
            Self::Bytes => "[]uint8".to_owned(),
            Self::Time(_) => "time".to_owned(),
            Self::Integer { wide: true } => "int64".to_owned(),
            Self::Integer { wide: false } => "int32".to_owned(),
            Self::Boolean => "bool".to_owned(),
            Self::List(item) => format!("[]{}", item.type_name()),
            Self::Map(value) => format!("map[string]{}", value.type_name()),
            Self::Struct(_) | Self::Any => "object".to_owned(),
        }
    }
}

impl Member {
    fn compile(schema: &Value) -> Self {
        let shape = Shape::compile(schema);
        let empty = match schema.get("x-empty").and_then(Value::as_str) {
            Some("keep") => Empty::Keep,
            Some("fill") => Empty::Fill,
            Some("null") => Empty::Null,
            // Objects with members of their own are optional as a whole: given empty, they still say something.
            _ if matches!(shape, Shape::Struct(_) | Shape::Any) => Empty::Keep,
            _ => Empty::Drop,
        };
        Self { shape, empty }
    }
}
