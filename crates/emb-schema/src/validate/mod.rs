//! What is wrong with an object: structure first, then embedded resources, then list uniqueness, then rules.

mod alternatives;
mod embedded;
mod list;
mod scalar;
mod structure;
mod types;

use emb_meta::FieldError;
use serde_json::Value;

use crate::{node::Node, schema::Budget};

/// Everything that is wrong with `new`, which replaces `old` if there is one.
pub(crate) fn validate(
    root: &Node,
    new: &Value,
    old: Option<&Value>,
    _budget: Budget,
) -> Vec<FieldError> {
    let mut errors = structure::check(root, new, old, "");
    if root.below.embedded {
        embedded::check(root, new, &mut errors);
    }
    if root.below.sets_or_maps {
        list::check(root, new, old, &mut errors);
    }
    errors
}

#[cfg(test)]
mod tests;
