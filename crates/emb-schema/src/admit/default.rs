//! Defaults must be values that the schema accepts.

use emb_meta::{FieldError, FieldPath};

use crate::{node::Node, prune, validate};

/// Checks every default of the tree. Defaults inside `additionalProperties` are never used, so they are not looked at.
pub(super) fn check(node: &Node, at: &FieldPath, errors: &mut Vec<FieldError>) {
    if let Some(default) = &node.default {
        let here = at.child("default");
        if !prune::unknown_fields(node, default).is_empty() {
            errors.push(FieldError::invalid(&here, default, "must not have unknown fields"));
        }
        errors.extend(validate::validate_default(node, default, &here.to_string()));
    }
    if let Some(items) = &node.items {
        check(items, &at.child("items"), errors);
    }
    let properties_at = at.child("properties");
    for (name, property) in node.properties.iter() {
        check(property, &properties_at.key(name), errors);
    }
}
