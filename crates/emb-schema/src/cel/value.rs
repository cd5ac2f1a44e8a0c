//! Values at run time. Parts of the object under validation are borrowed from it, never copied.

use std::{borrow::Cow, rc::Rc};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::{access::Access, library::Item, time, types};
use crate::{
    format::{self, FormatName},
    node::{JsonType, Node, Types},
};

/// A value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Val<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Cow<'v, str>),
    Bytes(Rc<[u8]>),
    /// Nanoseconds.
    Duration(i64),
    /// Nanoseconds since 1970.
    Timestamp(i128),
    Type(&'static str),
    List(Rc<[Self]>),
    Map(Rc<[(Self, Self)]>),
    Optional(Option<Rc<Self>>),
    /// A list of the object, with the schema of the list.
    Items(&'v [Value], Option<&'v Node>),
    /// An object or map of the object, with its schema.
    Members(&'v Map<String, Value>, Option<&'v Node>),
    /// A question about permissions.
    Access(Access<'v>),
    /// A value of a library.
    Item(Item),
}

impl<'v> Val<'v> {
    /// A part of the object as its schema types it.
    pub(super) fn of(value: &'v Value, node: Option<&'v Node>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => {
                let is_double = node.is_some_and(|node| node.types == Types::One(JsonType::Number));
                match number.as_i64().filter(|_| !is_double) {
                    Some(whole) => Self::Int(whole),
                    None => Self::Double(number.as_f64().unwrap_or(f64::NAN)),
                }
            }
            Value::String(text) => Self::of_text(text, node),
            Value::Array(items) => Self::Items(items, node),
            Value::Object(members) => Self::Members(members, node),
        }
    }

    fn of_text(text: &'v str, node: Option<&'v Node>) -> Self {
        let format = node
            .filter(|node| node.types == Types::One(JsonType::String))
            .and_then(|node| node.constraints.format.as_ref());
        let converted = match format.map(|format| format.name) {
            Some(FormatName::Base64) => {
                STANDARD.decode(text).ok().map(|bytes| Self::Bytes(bytes.into()))
            }
            Some(FormatName::Duration) => format::duration(text).map(Self::Duration),
            Some(FormatName::Date) => {
                time::parse_timestamp(&format!("{text}T00:00:00Z")).map(Self::Timestamp)
            }
            Some(FormatName::DateTime) => time::parse_timestamp(text).map(Self::Timestamp),
            _ => None,
        };
        converted.unwrap_or(Self::Text(Cow::Borrowed(text)))
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(Cow::Owned(text.into()))
    }

    /// The text of a text.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(items.into())
    }

    pub(super) fn some(inner: Self) -> Self {
        Self::Optional(Some(Rc::new(inner)))
    }

    /// How many items or entries a list or map has.
    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Self::List(items) => Some(items.len()),
            Self::Items(items, _) => Some(items.len()),
            Self::Map(entries) => Some(entries.len()),
            Self::Members(members, _) => Some(members.len()),
            _ => None,
        }
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self, Self::List(_) | Self::Items(..))
    }

    /// The item of a list.
    pub(super) fn item(&self, index: usize) -> Option<Self> {
        match self {
            Self::List(items) => items.get(index).cloned(),
            Self::Items(items, node) => {
                let schema = node.and_then(|node| node.items.as_deref());
                items.get(index).map(|item| Self::of(item, schema))
            }
            _ => None,
        }
    }

    /// What a macro visits: the items of a list, the keys of a map.
    pub(super) fn visited(&self) -> Option<Vec<Self>> {
        match self {
            Self::List(items) => Some(items.to_vec()),
            Self::Items(items, _) => (0..items.len()).map(|index| self.item(index)).collect(),
            Self::Map(entries) => Some(entries.iter().map(|(key, _)| key.clone()).collect()),
            Self::Members(members, _) => {
                Some(members.keys().map(|key| Self::Text(Cow::Borrowed(key))).collect())
            }
            _ => None,
        }
    }

    /// The member of an object or map whose key is this text.
    pub(super) fn member(&self, name: &str) -> Option<Self> {
        match self {
            Self::Members(members, node) => {
                let schema = node.and_then(|node| types::member(node, name).or(node.member(name)));
                members.get(name).map(|member| Self::of(member, schema))
            }
            Self::Map(entries) => entries
                .iter()
                .find(|(key, _)| matches!(key, Self::Text(text) if text == name))
                .map(|(_, value)| value.clone()),
            _ => None,
        }
    }

    /// The name of the type, as `type()` gives it.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
            Self::List(_) | Self::Items(..) => "list",
            Self::Map(_) | Self::Members(..) => "map",
            Self::Optional(_) => "optional_type",
            Self::Access(access) => access.stage().type_name(),
            Self::Item(item) => item.library().type_name(),
        }
    }
}
