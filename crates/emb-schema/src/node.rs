//! The compiled form of a schema: an immutable tree that every walker follows.

use core_pattern::UserRegex;
use serde_json::Value;

use crate::{format::Format, rule::Rule};

/// What one schema says about the value at its place.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) types: Types,
    pub(crate) nullable: bool,
    /// Members that no property names are kept.
    pub(crate) preserve_unknown: bool,
    pub(crate) envelope: Envelope,
    pub(crate) properties: Properties,
    pub(crate) additional: Additional,
    pub(crate) items: Option<Box<Self>>,
    pub(crate) list: ListKind,
    pub(crate) default: Option<Value>,
    pub(crate) constraints: Constraints,
    pub(crate) rules: Box<[Rule]>,
    pub(crate) below: Below,
}

impl Node {
    /// The schema of the member `name`, if the schema knows it.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        self.properties.get(name).or(match &self.additional {
            Additional::Schema(schema) => Some(schema),
            Additional::Absent | Additional::Any | Additional::Forbidden => None,
        })
    }
}

/// The schemas of members, sorted by name. A schema is kept for as long as its kind is served, and most objects have few
/// members: a tree would have room for many more in each of its nodes.
#[derive(Debug, Default)]
pub(crate) struct Properties(Box<[(Box<str>, Node)]>);

impl Properties {
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        let at = self.0.binary_search_by(|(candidate, _)| (**candidate).cmp(name)).ok()?;
        self.0.get(at).map(|(_, node)| node)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.0.iter().map(|(name, node)| (&**name, node))
    }
}

impl FromIterator<(Box<str>, Node)> for Properties {
    fn from_iter<I: IntoIterator<Item = (Box<str>, Node)>>(properties: I) -> Self {
        let mut sorted: Vec<_> = properties.into_iter().collect();
        sorted.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Self(sorted.into())
    }
}

/// The JSON types that a schema admits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Types {
    /// No type was given: any value.
    #[default]
    Any,
    One(JsonType),
    IntOrString,
}

/// A JSON type as schemas name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonType {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
}

impl JsonType {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "object" => Self::Object,
            "array" => Self::Array,
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }
}

impl Types {
    pub(crate) fn admits(self, actual: JsonType) -> bool {
        match self {
            Self::Any => true,
            Self::One(wanted) => {
                wanted == actual || (wanted == JsonType::Number && actual == JsonType::Integer)
            }
            Self::IntOrString => matches!(actual, JsonType::Integer | JsonType::String),
        }
    }

    /// The types as messages list them.
    pub(crate) fn names(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::One(one) => one.name(),
            Self::IntOrString => "integer,string",
        }
    }
}

/// Whether the value is an object with `apiVersion`, `kind` and `metadata` of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Envelope {
    #[default]
    None,
    /// The custom resource itself: the server checks the envelope.
    Root,
    /// `x-kubernetes-embedded-resource`: the schema checks the envelope.
    Embedded,
}

/// What a schema says about members that no property names.
#[derive(Debug, Default)]
pub(crate) enum Additional {
    #[default]
    Absent,
    Any,
    Forbidden,
    Schema(Box<Node>),
}

/// How the items of a list are told apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum ListKind {
    #[default]
    Atomic,
    Set,
    /// Items are objects told apart by these members.
    Map(Box<[Box<str>]>),
}

/// The restrictions on a value beyond its type.
#[derive(Debug, Default)]
pub(crate) struct Constraints {
    pub(crate) format: Option<Format>,
    pub(crate) minimum: Option<Bound>,
    pub(crate) maximum: Option<Bound>,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    pub(crate) required: Box<[Box<str>]>,
    pub(crate) choices: Box<[Value]>,
    pub(crate) all_of: Box<[Node]>,
    pub(crate) any_of: Box<[Node]>,
    pub(crate) one_of: Box<[Node]>,
    pub(crate) not: Option<Box<Node>>,
}

/// The end of a number range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) value: f64,
    pub(crate) exclusive: bool,
}

/// A regular expression with the text that messages show.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) text: Box<str>,
    pub(crate) regex: UserRegex,
}

/// What stands somewhere in the tree from a node on, so that walkers skip branches without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Below {
    pub(crate) sets_or_maps: bool,
    pub(crate) embedded: bool,
    pub(crate) rules: bool,
}

impl Below {
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            sets_or_maps: self.sets_or_maps || other.sets_or_maps,
            embedded: self.embedded || other.embedded,
            rules: self.rules || other.rules,
        }
    }
}
