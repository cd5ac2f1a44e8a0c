//! What functions and methods take and give.

use crate::check::Nature;
use crate::library::{HostFunction, ORIGIN};
use crate::value::ObjectType;

/// Something that can be called.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Callable {
    /// A function of the library.
    Host(HostFunction),
    /// A built-in that is named but not called in place.
    Builtin,
    Method(Method),
}

/// What an argument must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Param {
    Any,
    Text,
    Int,
    Time,
    ApiTime,
    Duration,
    Zone,
    List,
    Texts,
    Origin,
    Version,
}

impl Param {
    /// Whether an argument of this nature may be passed.
    pub(crate) fn accepts(self, nature: &Nature) -> bool {
        match (self, nature) {
            (Self::Int, nature) => nature.is_integer() || nature.is_unknown(),
            (Self::Origin, Nature::Object(of)) => std::ptr::eq(*of, &raw const ORIGIN),
            (Self::Any, _)
            | (_, Nature::Unknown)
            | (Self::Text, Nature::Text)
            | (Self::Time, Nature::Time)
            | (Self::ApiTime, Nature::ApiTime | Nature::Nil)
            | (Self::Duration, Nature::Duration)
            | (Self::Zone, Nature::Zone | Nature::Nil)
            | (Self::List, Nature::List(_))
            | (Self::Texts, Nature::Texts)
            | (Self::Version, Nature::Version { is_reference: true } | Nature::Nil) => true,
            _ => false,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Any => "interface {}",
            Self::Text => "string",
            Self::Int => "int",
            Self::Time => "time.Time",
            Self::ApiTime => "*v1.Time",
            Self::Duration => "time.Duration",
            Self::Zone => "*time.Location",
            Self::List => "[]interface {}",
            Self::Texts => "[]string",
            Self::Origin => "v1alpha1.FreightOrigin",
            Self::Version => "*semver.Version",
        }
    }
}

/// Whether arguments of these natures may be passed; says what is wrong.
pub(crate) fn check_arguments(
    name: &str,
    parameters: &[Param],
    arguments: &[Nature],
) -> Result<(), String> {
    if arguments.len() > parameters.len() {
        return Err(format!("too many arguments to call {name}"));
    }
    if arguments.len() < parameters.len() {
        return Err(format!("not enough arguments to call {name}"));
    }
    match parameters.iter().zip(arguments).find(|(param, nature)| !param.accepts(nature)) {
        None => Ok(()),
        Some((param, nature)) => {
            Err(format!("cannot use {nature} as argument (type {}) to call {name}", param.name()))
        }
    }
}

/// A method of a type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Method {
    pub(crate) parameters: &'static [Param],
    pub(crate) result: Box<Nature>,
    /// Methods with more than two results cannot be called.
    pub(crate) outputs: u8,
}

impl Method {
    pub(super) fn of(nature: &Nature, name: &str) -> Option<Self> {
        let (parameters, result): (&'static [Param], Nature) = match nature {
            Nature::Time => return time_method(name, Param::Time),
            Nature::ApiTime => return time_method(name, Param::ApiTime),
            Nature::Duration => duration_method(name)?,
            Nature::Month | Nature::Weekday | Nature::Zone if name == "String" => {
                (&[], Nature::Text)
            }
            Nature::Version { is_reference } => version_method(name, *is_reference)?,
            _ => return None,
        };
        Some(Self { parameters, result: Box::new(result), outputs: 1 })
    }
}

fn time_method(name: &str, same: Param) -> Option<Method> {
    let mut outputs = 1;
    let (parameters, result): (&'static [Param], Nature) = match name {
        "Year" | "Day" | "Hour" | "Minute" | "Second" | "Nanosecond" | "YearDay" => {
            (&[], Nature::Int)
        }
        "Month" => (&[], Nature::Month),
        "Weekday" => (&[], Nature::Weekday),
        "Unix" | "UnixMilli" | "UnixMicro" | "UnixNano" => (&[], Nature::Int64),
        "Format" => (&[Param::Text], Nature::Text),
        "String" => (&[], Nature::Text),
        "Add" | "Truncate" | "Round" => (&[Param::Duration], Nature::Time),
        "Sub" => (&[Param::Time], Nature::Duration),
        "AddDate" => (&[Param::Int, Param::Int, Param::Int], Nature::Time),
        "Before" | "Equal" if same == Param::ApiTime => (&[Param::ApiTime], Nature::Bool),
        "Before" | "Equal" | "After" => (&[Param::Time], Nature::Bool),
        "Compare" => (&[Param::Time], Nature::Int),
        "In" => (&[Param::Zone], Nature::Time),
        "UTC" | "Local" => (&[], Nature::Time),
        "Location" => (&[], Nature::Zone),
        "IsZero" | "IsDST" => (&[], Nature::Bool),
        "Zone" | "ISOWeek" => {
            outputs = 2;
            (&[], if name == "Zone" { Nature::Text } else { Nature::Int })
        }
        "Date" | "Clock" => {
            outputs = 3;
            (&[], Nature::Int)
        }
        _ => return None,
    };
    Some(Method { parameters, result: Box::new(result), outputs })
}

fn duration_method(name: &str) -> Option<(&'static [Param], Nature)> {
    Some(match name {
        "Hours" | "Minutes" | "Seconds" => (&[], Nature::Float),
        "Milliseconds" | "Microseconds" | "Nanoseconds" => (&[], Nature::Int64),
        "String" => (&[], Nature::Text),
        "Abs" => (&[], Nature::Duration),
        "Round" | "Truncate" => (&[Param::Duration], Nature::Duration),
        _ => return None,
    })
}

fn version_method(name: &str, is_reference: bool) -> Option<(&'static [Param], Nature)> {
    Some(match name {
        "Major" | "Minor" | "Patch" => (&[], Nature::Uint),
        "Prerelease" | "Metadata" | "String" => (&[], Nature::Text),
        "IncMajor" | "IncMinor" | "IncPatch" => (&[], Nature::Version { is_reference: false }),
        "SetPrerelease" | "SetMetadata" => {
            (&[Param::Text], Nature::Version { is_reference: false })
        }
        "Original" if is_reference => (&[], Nature::Text),
        "LessThan" | "LessThanEqual" | "GreaterThan" | "GreaterThanEqual" | "Equal"
            if is_reference =>
        {
            (&[Param::Version], Nature::Bool)
        }
        "Compare" if is_reference => (&[Param::Version], Nature::Int),
        _ => return None,
    })
}

/// What a function of the library gives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gives {
    Text,
    Bool,
    Map,
    TextMap,
    Version,
    Object(&'static ObjectType),
}

impl Gives {
    pub(crate) fn nature(self) -> Nature {
        use crate::check::MapNature;
        match self {
            Self::Text => Nature::Text,
            Self::Bool => Nature::Bool,
            Self::Map => Nature::Map(MapNature::Anything),
            Self::TextMap => Nature::Map(MapNature::Texts),
            Self::Version => Nature::Version { is_reference: true },
            Self::Object(of) => Nature::Object(of),
        }
    }
}
