//! What is known about a value before it exists.
//!
//! Variables have no types, so most natures are unknown and fit everywhere. Literals, built-ins and
//! the functions about Freight have one, and upstream refuses expressions in which they cannot fit.

use std::fmt;
use std::sync::Arc;

use crate::check::signature::{Callable, Method};
use crate::value::{FieldType, ObjectType};

/// What is known about a value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Nature {
    Unknown,
    Nil,
    Bool,
    Int,
    Int64,
    Uint,
    Float,
    Text,
    /// A text of a type of its own.
    Word,
    Bytes,
    /// A list and the nature of its elements.
    List(Arc<Self>),
    /// A list of texts, from splitting one.
    Texts,
    Map(MapNature),
    Time,
    /// A time of an API object, or nothing.
    ApiTime,
    Duration,
    Month,
    Weekday,
    Zone,
    Version {
        is_reference: bool,
    },
    Object(&'static ObjectType),
    Function(Callable),
}

/// What is known about a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapNature {
    Anything,
    Texts,
    /// Keys of any type.
    Pairs,
    /// Keys of any type, lists as values.
    Groups,
}

/// The form of a type, regardless of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    None,
    Bool,
    Int,
    Int64,
    Uint,
    Float,
    Text,
    List,
    Map,
    Struct,
    Reference,
    Function,
}

impl PartialEq for &'static ObjectType {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(*self, *other)
    }
}

impl Nature {
    pub(crate) fn list_of(element: Self) -> Self {
        Self::List(Arc::new(element))
    }

    /// A list of anything.
    pub(crate) fn list() -> Self {
        Self::list_of(Self::Unknown)
    }

    pub(crate) fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }

    pub(crate) fn is_integer(&self) -> bool {
        matches!(self, Self::Int | Self::Int64 | Self::Uint)
    }

    pub(crate) fn is_number(&self) -> bool {
        self.is_integer() || *self == Self::Float
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Word)
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self, Self::List(_) | Self::Texts | Self::Bytes)
    }

    /// The nature of what a reference refers to.
    pub(crate) fn dereferenced(self) -> Self {
        match self {
            Self::Version { .. } => Self::Version { is_reference: false },
            other => other,
        }
    }

    /// The nature of the elements of a list or map.
    pub(crate) fn element(&self) -> Self {
        match self {
            Self::List(element) => element.as_ref().clone(),
            Self::Texts | Self::Map(MapNature::Texts) => Self::Text,
            Self::Bytes => Self::Uint,
            Self::Map(MapNature::Groups) => Self::list(),
            _ => Self::Unknown,
        }
    }

    pub(crate) fn form(&self) -> Form {
        match self {
            Self::Unknown | Self::Nil => Form::None,
            Self::Bool => Form::Bool,
            Self::Int | Self::Month | Self::Weekday => Form::Int,
            Self::Int64 | Self::Duration => Form::Int64,
            Self::Uint => Form::Uint,
            Self::Float => Form::Float,
            Self::Text | Self::Word => Form::Text,
            Self::List(_) | Self::Texts | Self::Bytes => Form::List,
            Self::Map(_) => Form::Map,
            Self::Time | Self::Object(_) | Self::Version { is_reference: false } => Form::Struct,
            Self::ApiTime | Self::Zone | Self::Version { is_reference: true } => Form::Reference,
            Self::Function(_) => Form::Function,
        }
    }

    /// Whether a value of this nature can stand where one of `other` is wanted.
    pub(crate) fn is_assignable_to(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => false,
            (Self::Nil, _) => {
                matches!(other.form(), Form::Reference | Form::Function | Form::Map | Form::List)
            }
            (Self::List(_), Self::List(_)) => true,
            _ => self == other,
        }
    }

    /// Whether `==` may stand between values of these natures.
    pub(crate) fn is_comparable_to(&self, other: &Self) -> bool {
        self.is_unknown()
            || other.is_unknown()
            || *self == Self::Nil
            || *other == Self::Nil
            || (self.is_number() && other.is_number())
            || (self.is_list() && other.is_list())
            || self.is_assignable_to(other)
    }

    /// What a field of an object holds.
    pub(crate) fn of_field(holds: FieldType) -> Self {
        match holds {
            FieldType::Text => Self::Text,
            FieldType::Word => Self::Word,
            FieldType::Bool => Self::Bool,
            FieldType::Uint => Self::Uint,
            FieldType::Time => Self::ApiTime,
            FieldType::TextMap => Self::Map(MapNature::Texts),
            FieldType::Map => Self::Map(MapNature::Anything),
        }
    }

    /// A method of values of this nature.
    pub(crate) fn method(&self, name: &str) -> Option<Method> {
        Method::of(self, name)
    }
}

impl fmt::Display for Nature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "unknown",
            Self::Nil => "nil",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Int64 => "int64",
            Self::Uint => "uint64",
            Self::Float => "float64",
            Self::Text => "string",
            Self::Word => "v1alpha1.FreightOriginKind",
            Self::Bytes => "[]uint8",
            Self::List(_) => "[]interface {}",
            Self::Texts => "[]string",
            Self::Map(MapNature::Anything) => "map[string]interface {}",
            Self::Map(MapNature::Texts) => "map[string]string",
            Self::Map(MapNature::Pairs) => "map[interface {}]interface {}",
            Self::Map(MapNature::Groups) => "map[interface {}][]interface {}",
            Self::Time => "time.Time",
            Self::ApiTime => "*v1.Time",
            Self::Duration => "time.Duration",
            Self::Month => "time.Month",
            Self::Weekday => "time.Weekday",
            Self::Zone => "*time.Location",
            Self::Version { is_reference: true } => "*semver.Version",
            Self::Version { is_reference: false } => "semver.Version",
            Self::Object(of) => of.name,
            Self::Function(_) => "func",
        })
    }
}
