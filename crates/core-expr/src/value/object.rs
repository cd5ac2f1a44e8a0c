//! Objects with named fields, as the functions about Freight return them.
//!
//! Expressions use the names of the fields in upstream's source; an object that is shown as a
//! whole uses the names of its JSON form.

use std::sync::Arc;

use crate::value::{Data, Value};

/// A type of object.
#[derive(Debug)]
pub(crate) struct ObjectType {
    /// Name in messages.
    pub(crate) name: &'static str,
    /// Name that `type()` gives; references have none.
    pub(crate) path: &'static str,
    /// Values are references to objects rather than objects.
    pub(crate) is_reference: bool,
    /// The fields, in the order of upstream's source.
    pub(crate) fields: &'static [Field],
}

/// A field of a type.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) json_name: &'static str,
    /// Left out of the JSON form when it holds nothing.
    pub(crate) omit_empty: bool,
    pub(crate) holds: FieldType,
}

/// What a field holds, as far as expressions are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldType {
    Text,
    /// A text of a type of its own, which no other text can be compared with.
    Word,
    Bool,
    Uint,
    /// A time or nothing.
    Time,
    TextMap,
    Map,
}

/// An object.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) of: &'static ObjectType,
    /// One value for each field of the type.
    pub(crate) values: Vec<Value>,
}

impl Object {
    pub(crate) fn value(of: &'static ObjectType, values: Vec<Value>) -> Value {
        Data::Object(Arc::new(Self { of, values })).into()
    }

    /// Fields with their values.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'static Field, &Value)> {
        self.of.fields.iter().zip(&self.values)
    }

    pub(crate) fn get(&self, name: &[u8]) -> Option<&Value> {
        self.fields().find(|(field, _)| field.name.as_bytes() == name).map(|(_, value)| value)
    }

    /// Fields of the JSON form.
    pub(crate) fn json_fields(&self) -> impl Iterator<Item = (&'static Field, &Value)> {
        self.fields().filter(|(field, value)| !field.omit_empty || !is_empty(value))
    }

    pub(crate) fn depth(&self) -> u16 {
        self.values.iter().map(Value::depth).max().unwrap_or_default().saturating_add(1)
    }

    pub(crate) fn weight(&self) -> usize {
        self.values.iter().map(Value::weight).fold(0, usize::saturating_add)
    }

    pub(crate) fn is_tainted(&self) -> bool {
        self.values.iter().any(Value::is_tainted)
    }
}

impl ObjectType {
    pub(crate) fn field(&self, name: &[u8]) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name.as_bytes() == name)
    }
}

fn is_empty(value: &Value) -> bool {
    match &value.data {
        Data::Text(text) => text.is_empty(),
        Data::Bool(truth) => !truth,
        Data::Uint(number) => *number == 0,
        Data::Map(map) => map.entries.is_empty(),
        _ => value.is_nil(),
    }
}
