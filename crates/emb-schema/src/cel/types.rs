//! Types of expressions. Objects are known by the schema that declares them.

use std::{fmt, sync::LazyLock};

use super::{access::Stage, escape, library::Library};
use crate::{
    format::FormatName,
    node::{Additional, Envelope, JsonType, Node, Types},
};

/// What the checker knows about a value.
#[derive(Clone, Debug)]
pub(crate) enum Type<'n> {
    /// Anything; checked when it is evaluated.
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    Bytes,
    Duration,
    Timestamp,
    /// Types themselves, as values.
    OfTypes,
    List(Box<Self>),
    Map(Box<Self>, Box<Self>),
    Optional(Box<Self>),
    Object(&'n Node),
    /// An object whose members go by their plain names.
    Record(&'n Node),
    /// A question about permissions.
    Access(Stage),
    /// A value of a library.
    Item(Library),
}

/// What rules may read of the metadata of an object.
static NAMES: LazyLock<Node> = LazyLock::new(|| {
    let text = || Node { types: Types::One(JsonType::String), ..Node::default() };
    Node {
        types: Types::One(JsonType::Object),
        properties: ["name", "generateName"]
            .map(|name| (name.into(), text()))
            .into_iter()
            .collect(),
        ..Node::default()
    }
});

impl<'n> Type<'n> {
    /// The type of the values of a schema; `None` where the schema does not say.
    pub(crate) fn of(node: &'n Node) -> Option<Self> {
        let json_type = match node.types {
            Types::IntOrString => return Some(Self::Dyn),
            Types::Any => return None,
            Types::One(json_type) => json_type,
        };
        Some(match json_type {
            JsonType::Boolean => Self::Bool,
            JsonType::Integer => Self::Int,
            JsonType::Number => Self::Double,
            JsonType::String => match node.constraints.format.as_ref().map(|format| format.name) {
                Some(FormatName::Base64) => Self::Bytes,
                Some(FormatName::Duration) => Self::Duration,
                Some(FormatName::Date | FormatName::DateTime) => Self::Timestamp,
                _ => Self::Text,
            },
            JsonType::Array => Self::List(Box::new(Self::of(node.items.as_deref()?)?)),
            JsonType::Object => match &node.additional {
                Additional::Schema(values) => {
                    Self::Map(Box::new(Self::Text), Box::new(Self::of(values)?))
                }
                Additional::Absent | Additional::Any | Additional::Forbidden => Self::Object(node),
            },
        })
    }

    /// Whether a value of one type may stand where the other is wanted.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dyn, _) | (_, Self::Dyn) => true,
            (Self::List(a), Self::List(b)) | (Self::Optional(a), Self::Optional(b)) => a.agrees(b),
            (Self::Map(ka, va), Self::Map(kb, vb)) => ka.agrees(kb) && va.agrees(vb),
            (Self::Object(a), Self::Object(b)) | (Self::Record(a), Self::Record(b)) => {
                std::ptr::eq(*a, *b)
            }
            (Self::Access(a), Self::Access(b)) => a == b,
            (Self::Item(a), Self::Item(b)) => a == b,
            (Self::Null, other) | (other, Self::Null) => matches!(
                other,
                Self::Null
                    | Self::Object(_)
                    | Self::Record(_)
                    | Self::Duration
                    | Self::Timestamp
                    | Self::Optional(_)
            ),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }

    /// The more telling of two types that agree.
    pub(crate) fn or(self, other: Self) -> Self {
        match self {
            Self::Dyn | Self::Null => other,
            known => known,
        }
    }
}

/// The schema of a member of an object, by its JSON name.
pub(super) fn member<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    if node.envelope != Envelope::None {
        match name {
            "metadata" => return Some(&NAMES),
            "apiVersion" | "kind" => return NAMES.properties.get("name"),
            _ => {}
        }
    }
    node.properties.get(name)
}

/// The JSON name and schema that an identifier means on an object.
pub(super) fn declared<'n>(node: &'n Node, identifier: &str) -> Option<(String, &'n Node)> {
    let name = escape::property_of(identifier);
    let found = member(node, &name)?;
    (escape::identifier_of(&name).as_deref() == Some(identifier)).then_some((name, found))
}

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn => f.write_str("dyn"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::Text => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Duration => f.write_str("duration"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::OfTypes => f.write_str("type"),
            Self::List(items) => write!(f, "list({items})"),
            Self::Map(keys, values) => write!(f, "map({keys}, {values})"),
            Self::Optional(inner) => write!(f, "optional_type({inner})"),
            Self::Object(_) | Self::Record(_) => f.write_str("object"),
            Self::Access(stage) => f.write_str(stage.type_name()),
            Self::Item(library) => f.write_str(library.type_name()),
        }
    }
}
