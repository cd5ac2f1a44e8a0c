//! Where Freight comes from.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::string_enum::string_enum;

/// Names the source of a line of Freight. A Stage holds at most one piece per origin.
///
/// The text form `Warehouse/name` is stored in map keys and annotations.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "camelCase", default)]
pub struct FreightOrigin {
    /// Kind of the source. Only Warehouse exists.
    pub kind: FreightOriginKind,
    /// Name of the source, in the same namespace.
    pub name: String,
}

string_enum! {
    /// Kinds of object that produce Freight.
    listed FreightOriginKind {
        /// A Warehouse.
        Warehouse = "Warehouse",
    }
}

/// The text is not of the form `Warehouse/name`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid Freight origin {0:?}: must be of the form Warehouse/<name>")]
pub struct ParseOriginError(String);

impl FreightOrigin {
    /// The origin that is the Warehouse of this name.
    pub fn warehouse(name: impl Into<String>) -> Self {
        Self { kind: FreightOriginKind::Warehouse, name: name.into() }
    }
}

impl fmt::Display for FreightOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

impl FromStr for FreightOrigin {
    type Err = ParseOriginError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('/') {
            Some(("Warehouse", name)) if !name.is_empty() && !name.contains('/') => {
                Ok(Self::warehouse(name))
            }
            _ => Err(ParseOriginError(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_survives_a_round_trip() {
        let origin = FreightOrigin::warehouse("foo");
        assert_eq!(origin.to_string(), "Warehouse/foo");
        assert_eq!("Warehouse/foo".parse(), Ok(origin));
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "foo", "Warehouse", "Warehouse/", "/foo", "Stage/foo", "Warehouse/a/b"] {
            assert!(text.parse::<FreightOrigin>().is_err(), "{text:?}");
        }
    }
}
