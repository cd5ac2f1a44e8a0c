//! What is wrong with an object: structure first, then embedded resources, then list uniqueness, then rules.

mod alternatives;
mod embedded;
mod list;
mod rules;
mod scalar;
mod structure;
mod types;

use emb_meta::{FieldError, FieldErrorKind};
use serde_json::Value;

use crate::{node::Node, schema::Budget};

/// Everything that is wrong with `new`, which replaces `old` if there is one.
pub(crate) fn validate(
    root: &Node,
    new: &Value,
    old: Option<&Value>,
    budget: Budget,
    known: &[FieldError],
) -> Vec<FieldError> {
    let errors = structure::check(root, new, old, "");
    validate_beyond_structure(root, new, old, budget, known, errors)
}

/// Adds what is wrong besides structure to what is wrong with that.
pub(crate) fn validate_beyond_structure(
    root: &Node,
    new: &Value,
    old: Option<&Value>,
    budget: Budget,
    known: &[FieldError],
    mut errors: Vec<FieldError>,
) -> Vec<FieldError> {
    if root.below.embedded {
        embedded::check(root, new, &mut errors);
    }
    if root.below.sets_or_maps {
        list::check(root, new, old, &mut errors);
    }
    if root.below.rules {
        if known.iter().chain(&errors).any(blocks_rules) {
            errors.push(FieldError::invalid("<nil>", &Value::Null, RULES_SKIPPED));
        } else {
            rules::check(root, new, old, budget, &mut errors);
        }
    }
    errors
}

/// What is wrong with a default of the schema, told for fields below `base`.
pub(crate) fn validate_default(node: &Node, default: &Value, base: &str) -> Vec<FieldError> {
    let mut errors = structure::check(node, default, None, base);
    if errors.is_empty() && node.below.rules {
        rules::check_default(node, default, base, &mut errors);
    }
    errors
}

const RULES_SKIPPED: &str = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/// Rules assume values of the declared types, so after these errors they do not run.
fn blocks_rules(error: &FieldError) -> bool {
    matches!(
        error.kind,
        FieldErrorKind::NotSupported
            | FieldErrorKind::Required
            | FieldErrorKind::TooLong
            | FieldErrorKind::TooMany
            | FieldErrorKind::TypeInvalid
    )
}

#[cfg(test)]
mod rules_tests;
#[cfg(test)]
mod tests;
