//! What a custom resource definition may not say in a schema, beyond being well formed.
//!
//! The checks read the document and not the compiled tree, because most of them are about keywords that stand where
//! they may not.

mod default;
mod extension;
mod nested;
mod structural;

use emb_meta::{FieldError, FieldPath};
use serde_json::{Map, Value};

use crate::{compile::DEPTH_LIMIT, node::Node};

/// Everything that keeps a schema from being structural, and every keyword in a wrong place.
pub(crate) fn structure(schema: &Value, at: &FieldPath) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(keywords) = schema.as_object() {
        structural::check(keywords, at, &mut errors);
        errors.sort_by_cached_key(FieldError::to_string);
        extension::check_root(keywords, at, &mut errors);
    }
    errors
}

/// Every default that the schema itself would refuse.
pub(crate) fn defaults(root: &Node, at: &FieldPath, errors: &mut Vec<FieldError>) {
    default::check(root, at, errors);
}

/// The keywords of one schema.
type Keywords = Map<String, Value>;

/// A keyword of a schema, unless it is absent or null.
fn keyword<'v>(keywords: &'v Keywords, name: &str) -> Option<&'v Value> {
    keywords.get(name).filter(|value| !value.is_null())
}

fn text<'v>(keywords: &'v Keywords, name: &str) -> &'v str {
    keyword(keywords, name).and_then(Value::as_str).unwrap_or_default()
}

fn flag(keywords: &Keywords, name: &str) -> bool {
    keyword(keywords, name).and_then(Value::as_bool).unwrap_or_default()
}

fn schema<'v>(keywords: &'v Keywords, name: &str) -> Option<&'v Keywords> {
    keyword(keywords, name).and_then(Value::as_object)
}

/// The schemas of a junctor such as `anyOf`.
fn schemas<'v>(keywords: &'v Keywords, name: &str) -> impl Iterator<Item = (usize, &'v Keywords)> {
    let list = keyword(keywords, name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().enumerate().filter_map(|(index, item)| Some((index, item.as_object()?)))
}

/// The named properties of an object schema.
fn properties(keywords: &Keywords) -> impl Iterator<Item = (&str, &Keywords)> {
    schema(keywords, "properties")
        .into_iter()
        .flatten()
        .filter_map(|(name, property)| Some((name.as_str(), property.as_object()?)))
}

/// Deeper schemas are refused when they are compiled; here they are only not followed.
fn is_too_deep(depth: usize) -> bool {
    depth > DEPTH_LIMIT
}

#[cfg(test)]
mod tests;
