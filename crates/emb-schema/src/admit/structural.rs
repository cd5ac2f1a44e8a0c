//! Structural schemas: every value has a type, and alternatives only restrict what stands outside of them.

use emb_meta::{FieldError, FieldPath};
use serde_json::{Value, json};

use super::{Keywords, flag, is_too_deep, keyword, nested, properties, schema, text};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

pub(super) fn check(root: &Keywords, at: &FieldPath, errors: &mut Vec<FieldError>) {
    node(root, Level::Root, at, 0, errors);
}

fn node(
    keywords: &Keywords,
    level: Level,
    at: &FieldPath,
    depth: usize,
    errors: &mut Vec<FieldError>,
) {
    if is_too_deep(depth) {
        return;
    }
    children(keywords, level, at, depth + 1, errors);
    extensions(keywords, at, errors);
    nested::check(keywords, at, depth + 1, errors);
    types(keywords, level, at, errors);
    envelope(keywords, level, at, errors);
}

fn children(
    keywords: &Keywords,
    level: Level,
    at: &FieldPath,
    depth: usize,
    errors: &mut Vec<FieldError>,
) {
    match keyword(keywords, "items") {
        None if text(keywords, "type") == "array" => {
            errors.push(FieldError::required(at.child("items"), "must be specified"));
        }
        Some(Value::Object(items)) => {
            node(items, Level::Item, &at.child("items"), depth, errors);
        }
        _ => {}
    }
    let properties_at = at.child("properties");
    for (name, property) in properties(keywords) {
        node(property, Level::Field, &properties_at.key(name), depth, errors);
    }
    if keyword(keywords, "additionalProperties").is_some() {
        let here = at.child("additionalProperties");
        if level == Level::Root {
            errors.push(FieldError::forbidden(&here, "must not be used at the root"));
        }
        if let Some(values) = schema(keywords, "additionalProperties") {
            node(values, Level::Field, &here, depth, errors);
        }
    }
}

fn extensions(keywords: &Keywords, at: &FieldPath, errors: &mut Vec<FieldError>) {
    if !flag(keywords, "x-kubernetes-int-or-string") {
        return;
    }
    for other in ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] {
        if flag(keywords, other) {
            let detail = "must be false if x-kubernetes-int-or-string is true";
            errors.push(FieldError::invalid(at.child(other), &json!(true), detail));
        }
    }
}

fn types(keywords: &Keywords, level: Level, at: &FieldPath, errors: &mut Vec<FieldError>) {
    let here = at.child("type");
    let name = text(keywords, "type");
    let is_embedded = flag(keywords, "x-kubernetes-embedded-resource");
    let needs_none = flag(keywords, "x-kubernetes-int-or-string")
        || flag(keywords, "x-kubernetes-preserve-unknown-fields");
    if is_embedded && name != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(if name.is_empty() {
            FieldError::required(&here, detail)
        } else {
            FieldError::invalid(&here, &json!(name), detail)
        });
    } else if name.is_empty() && !needs_none {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        errors.push(FieldError::required(&here, detail));
    }
    if level == Level::Root && !name.is_empty() && name != "object" {
        errors.push(FieldError::invalid(&here, &json!(name), "must be object at the root"));
    }
}

/// `apiVersion`, `kind` and `metadata` of the resource itself and of embedded ones.
fn envelope(keywords: &Keywords, level: Level, at: &FieldPath, errors: &mut Vec<FieldError>) {
    let is_embedded = flag(keywords, "x-kubernetes-embedded-resource");
    let properties_at = at.child("properties");
    for (name, property) in properties(keywords) {
        let own_type = text(property, "type");
        let wanted = match name {
            "kind" | "apiVersion" => "string",
            "metadata" => "object",
            _ => continue,
        };
        if (level == Level::Root || is_embedded) && own_type != wanted {
            let here = properties_at.key(name).child("type");
            let detail = format!("must be {wanted}");
            errors.push(FieldError::invalid(here, &json!(own_type), &detail));
        }
        if name == "metadata" && level == Level::Root && !restricts_only_names(property) {
            let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            errors.push(FieldError::forbidden(properties_at.key(name), detail));
        }
    }
    if !is_embedded {
        return;
    }
    if keyword(keywords, "additionalProperties").is_some() {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        errors.push(FieldError::forbidden(at.child("additionalProperties"), detail));
    }
    let is_empty = properties(keywords).next().is_none();
    if is_empty && !flag(keywords, "x-kubernetes-preserve-unknown-fields") {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
        errors.push(FieldError::required(properties_at, detail));
    }
}

fn restricts_only_names(metadata: &Keywords) -> bool {
    let only_names = properties(metadata).all(|(name, _)| matches!(name, "name" | "generateName"));
    let only_type = metadata
        .keys()
        .all(|keyword| matches!(keyword.as_str(), "type" | "properties" | "default"));
    only_names && only_type
}
