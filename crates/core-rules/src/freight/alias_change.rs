//! Names and aliases that people give: finding Freight by them, and changing an alias.

use api_kinds::{Freight, labels};
use serde_json::{Value, json};

use crate::admission::metadata::name;
use crate::fault::{Class, Fault};
use crate::selector::is_label_text;

/// No Freight has this name or alias.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Freight with name or alias {name_or_alias:?} not found in project {project:?}")]
pub struct FreightNotFound {
    /// What was asked for.
    pub name_or_alias: String,
    /// The Project.
    pub project: String,
}

impl Fault for FreightNotFound {
    fn class(&self) -> Class {
        Class::NotFound
    }
}

/// An alias that cannot be given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AliasError {
    /// None was sent.
    #[error("newAlias query parameter is required")]
    Missing,
    /// Aliases are kept in a label.
    #[error(
        "invalid alias {alias:?}: at most 63 letters, digits, '-', '_' and '.', with a letter or \
         digit at both ends"
    )]
    Invalid {
        /// The alias.
        alias: String,
    },
    /// Other Freight has it.
    #[error("alias {alias:?} already used by another piece of Freight in namespace {namespace:?}")]
    Taken {
        /// The alias.
        alias: String,
        /// The Project.
        namespace: String,
    },
}

impl Fault for AliasError {
    fn class(&self) -> Class {
        match self {
            Self::Missing | Self::Invalid { .. } => Class::BadRequest,
            Self::Taken { .. } => Class::Conflict,
        }
    }
}

/// Whether the text can be an alias.
pub fn check_alias(alias: &str) -> Result<(), AliasError> {
    if alias.is_empty() {
        return Err(AliasError::Missing);
    }
    if is_label_text(alias) {
        return Ok(());
    }
    // The text comes from outside and goes into the answer.
    let alias = alias.chars().take(100).collect();
    Err(AliasError::Invalid { alias })
}

/// The merge patch that gives the Freight its alias; `holders` are all that have it now. Field and
/// label change together.
pub fn change_alias<'a>(
    freight: &Freight,
    alias: &str,
    holders: impl IntoIterator<Item = &'a Freight>,
) -> Result<Value, AliasError> {
    check_alias(alias)?;
    if holders.into_iter().any(|holder| name(&holder.metadata) != name(&freight.metadata)) {
        let namespace = freight.metadata.namespace.clone().unwrap_or_default();
        return Err(AliasError::Taken { alias: alias.to_owned(), namespace });
    }
    Ok(json!({"metadata": {"labels": {labels::ALIAS: alias}}, "alias": alias}))
}

#[cfg(test)]
mod tests {
    use api_kinds::Freight;
    use serde_json::json;

    use super::{AliasError, FreightNotFound, change_alias, check_alias};
    use crate::fault::Fault;

    fn freight(name: &str) -> Freight {
        serde_json::from_value(json!({"metadata": {"name": name, "namespace": "demo"}})).unwrap()
    }

    #[test]
    fn an_alias_must_fit_a_label() {
        for alias in ["a", "Quiet-Otter_2.0", &"x".repeat(63)] {
            assert_eq!(check_alias(alias), Ok(()), "{alias}");
        }
        for alias in ["-a", "a.", "a b", "ö", &"x".repeat(64)] {
            assert_eq!(check_alias(alias).unwrap_err().class().code(), 400, "{alias}");
        }
        let missing = check_alias("").unwrap_err();
        assert_eq!(missing.to_string(), "newAlias query parameter is required");
    }

    #[test]
    fn field_and_label_change_together_unless_other_freight_has_the_alias() {
        let (mine, other) = (freight("a"), freight("b"));
        let patch = json!({"metadata": {"labels": {"kargo.akuity.io/alias": "x"}}, "alias": "x"});
        assert_eq!(change_alias(&mine, "x", []), Ok(patch.clone()));
        assert_eq!(change_alias(&mine, "x", [&mine]), Ok(patch));
        let taken = change_alias(&mine, "x", [&mine, &other]).unwrap_err();
        assert!(matches!(taken, AliasError::Taken { .. }));
        assert_eq!(taken.class().code(), 409);
        assert_eq!(
            taken.to_string(),
            r#"alias "x" already used by another piece of Freight in namespace "demo""#
        );
    }

    #[test]
    fn what_is_not_found_is_named_with_its_project() {
        let error = FreightNotFound { name_or_alias: "x".into(), project: "demo".into() };
        assert_eq!(
            error.to_string(),
            r#"Freight with name or alias "x" not found in project "demo""#
        );
    }
}
