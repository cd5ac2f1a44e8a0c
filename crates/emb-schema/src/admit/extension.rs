//! Keywords that a schema may not use at all, may not use together, or may use only on some types.

use emb_meta::{FieldError, FieldPath};
use serde_json::{Value, json};

use super::{Keywords, flag, is_too_deep, keyword, properties, schema, schemas, text};

/// Keywords of JSON schema that have no meaning here.
const UNSUPPORTED: [&str; 6] =
    ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

/// What the place of a schema forbids.
#[derive(Clone, Copy)]
struct Place<'p> {
    depth: usize,
    /// Why there may be no default.
    no_default: Option<&'p str>,
    in_metadata: bool,
}

pub(super) fn check_root(root: &Keywords, at: &FieldPath, errors: &mut Vec<FieldError>) {
    if flag(root, "nullable") {
        let detail = "nullable cannot be true at the root";
        errors.push(FieldError::forbidden(at.child("nullable"), detail));
    }
    let place = Place { depth: 0, no_default: None, in_metadata: false };
    node(root, at, place, true, errors);
}

fn node(
    keywords: &Keywords,
    at: &FieldPath,
    place: Place<'_>,
    is_root: bool,
    errors: &mut Vec<FieldError>,
) {
    if is_too_deep(place.depth) {
        return;
    }
    plain(keywords, at, place, errors);
    children(keywords, at, Place { depth: place.depth + 1, ..place }, is_root, errors);
    map_type(keywords, at, errors);
    list_type(keywords, at, errors);
}

fn plain(keywords: &Keywords, at: &FieldPath, place: Place<'_>, errors: &mut Vec<FieldError>) {
    if let Some(reason) = place.no_default.filter(|_| keyword(keywords, "default").is_some()) {
        let detail = format!("must not be set {reason}");
        errors.push(FieldError::forbidden(at.child("default"), &detail));
    }
    if text(keywords, "type") == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        errors.push(FieldError::forbidden(at.child("type"), detail));
    }
    for name in UNSUPPORTED {
        if keyword(keywords, name).is_some() {
            let detail = format!("{name} is not supported");
            errors.push(FieldError::forbidden(at.child(name), &detail));
        }
    }
    if keyword(keywords, "items").is_some_and(Value::is_array) {
        let detail = "items must be a schema object and not an array";
        errors.push(FieldError::forbidden(at.child("items"), detail));
    }
    if place.in_metadata && flag(keywords, "x-kubernetes-embedded-resource") {
        let here = at.child("x-kubernetes-embedded-resource");
        errors.push(FieldError::forbidden(here, "must not be used inside of resource meta"));
    }
    if flag(keywords, "uniqueItems") {
        let detail =
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.push(FieldError::forbidden(at.child("uniqueItems"), detail));
    }
    let limits_others = keyword(keywords, "additionalProperties")
        .is_some_and(|additional| *additional != Value::Bool(true));
    if limits_others && properties(keywords).next().is_some() {
        let detail = "additionalProperties and properties are mutual exclusive";
        errors.push(FieldError::forbidden(at.child("additionalProperties"), detail));
    }
    if keyword(keywords, "x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(false)) {
        let here = at.child("x-kubernetes-preserve-unknown-fields");
        errors.push(FieldError::invalid(here, &json!(false), "must be true or undefined"));
    }
}

fn children(
    keywords: &Keywords,
    at: &FieldPath,
    place: Place<'_>,
    is_root: bool,
    errors: &mut Vec<FieldError>,
) {
    if let Some(values) = schema(keywords, "additionalProperties") {
        let reason = "inside additionalProperties applying to object metadata";
        let no_default = if place.in_metadata { Some(reason) } else { place.no_default };
        let here = at.child("additionalProperties");
        node(values, &here, Place { no_default, ..place }, false, errors);
    }
    let is_resource = is_root || flag(keywords, "x-kubernetes-embedded-resource");
    for (name, property) in properties(keywords) {
        let here = at.child("properties").key(name);
        let in_envelope = is_resource && matches!(name, "metadata" | "kind" | "apiVersion");
        let reason = format!("in top-level {name}");
        let inner = Place {
            in_metadata: place.in_metadata || in_envelope,
            no_default: if in_envelope && is_root { Some(&reason) } else { place.no_default },
            ..place
        };
        node(property, &here, inner, false, errors);
    }
    if let Some(not) = schema(keywords, "not") {
        node(not, &at.child("not"), place, false, errors);
    }
    for junctor in ["allOf", "oneOf", "anyOf"] {
        for (index, branch) in schemas(keywords, junctor) {
            node(branch, &at.child(junctor).index(index), place, false, errors);
        }
    }
    if let Some(items) = schema(keywords, "items") {
        node(items, &at.child("items"), place, false, errors);
    }
}

/// Reports that a keyword stands on a schema of the wrong type.
fn wrong_type(
    keywords: &Keywords,
    at: &FieldPath,
    wanted: &str,
    extension: &str,
    errors: &mut Vec<FieldError>,
) {
    let name = text(keywords, "type");
    let detail = format!("must be {wanted} if {extension} is specified");
    let here = at.child("type");
    errors.push(if name.is_empty() {
        FieldError::required(here, &detail)
    } else {
        FieldError::invalid(here, &json!(name), &detail)
    });
}

fn map_type(keywords: &Keywords, at: &FieldPath, errors: &mut Vec<FieldError>) {
    const EXTENSION: &str = "x-kubernetes-map-type";
    let Some(kind) = keyword(keywords, EXTENSION) else { return };
    if text(keywords, "type") != "object" {
        wrong_type(keywords, at, "object", EXTENSION, errors);
    }
    if !matches!(kind.as_str(), Some("atomic" | "granular")) {
        let supported = ["atomic", "granular"];
        errors.push(FieldError::not_supported(at.child(EXTENSION), kind, supported));
    }
}

fn list_type(keywords: &Keywords, at: &FieldPath, errors: &mut Vec<FieldError>) {
    const EXTENSION: &str = "x-kubernetes-list-type";
    let kind = keyword(keywords, EXTENSION);
    let keys = keyword(keywords, "x-kubernetes-list-map-keys").and_then(Value::as_array);
    let keys: Vec<&str> = keys.into_iter().flatten().filter_map(Value::as_str).collect();
    if kind.is_some() && text(keywords, "type") != "array" {
        wrong_type(keywords, at, "array", EXTENSION, errors);
    } else if text(keywords, EXTENSION) == "set" {
        set_items(keywords, at, errors);
    }
    if let Some(kind) = kind
        && !matches!(kind.as_str(), Some("atomic" | "set" | "map"))
    {
        let supported = ["atomic", "set", "map"];
        errors.push(FieldError::not_supported(at.child(EXTENSION), kind, supported));
    }
    if !keys.is_empty() && text(keywords, EXTENSION) != "map" {
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        let here = at.child(EXTENSION);
        errors.push(match kind {
            None => FieldError::required(here, detail),
            Some(kind) => FieldError::invalid(here, kind, detail),
        });
    }
    if text(keywords, EXTENSION) == "map" {
        map_keys(keywords, &keys, at, errors);
    }
    no_null_items(keywords, text(keywords, EXTENSION), at, errors);
}

/// Items of a set are compared as a whole, so nothing may be merged inside of them.
fn set_items(keywords: &Keywords, at: &FieldPath, errors: &mut Vec<FieldError>) {
    let Some(items) = schema(keywords, "items") else { return };
    let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let (extension, is_atomic) = match text(items, "type") {
        "array" => {
            let kind = text(items, "x-kubernetes-list-type");
            ("x-kubernetes-list-type", kind.is_empty() || kind == "atomic")
        }
        "object" => ("x-kubernetes-map-type", text(items, "x-kubernetes-map-type") == "atomic"),
        _ => return,
    };
    if !is_atomic {
        let value = items.get(extension).cloned().unwrap_or_default();
        errors.push(FieldError::invalid(at.child("items").child(extension), &value, detail));
    }
}

fn map_keys(keywords: &Keywords, keys: &[&str], at: &FieldPath, errors: &mut Vec<FieldError>) {
    let keys_at = at.child("x-kubernetes-list-map-keys");
    if keys.is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        errors.push(FieldError::required(&keys_at, detail));
    }
    let items_at = at.child("items");
    let Some(items) = schema(keywords, "items") else {
        let detail = "must have a schema if x-kubernetes-list-type is map";
        errors.push(FieldError::required(items_at, detail));
        return;
    };
    if text(items, "type") != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        let own_type = json!(text(items, "type"));
        errors.push(FieldError::invalid(items_at.child("type"), &own_type, detail));
        return;
    }
    for (index, key) in keys.iter().enumerate() {
        if keys.iter().take(index).any(|earlier| earlier == key) {
            let detail = "must not contain duplicate entries";
            errors.push(FieldError::invalid(&keys_at, &json!(keys), detail));
        }
        let declared = schema(items, "properties");
        if let Some(property) = declared.and_then(|properties| schema(properties, key)) {
            map_key(items, key, property, &items_at, errors);
        } else {
            let detail = "entries must all be names of item properties";
            errors.push(FieldError::invalid(&keys_at, &json!(keys), detail));
        }
    }
}

fn map_key(
    items: &Keywords,
    key: &str,
    property: &Keywords,
    items_at: &FieldPath,
    errors: &mut Vec<FieldError>,
) {
    let here = items_at.child("properties").key(key);
    let own_type = text(property, "type");
    if matches!(own_type, "array" | "object") {
        let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        errors.push(FieldError::invalid(here.child("type"), &json!(own_type), detail));
    }
    let required = keyword(items, "required").and_then(Value::as_array);
    let is_required = required.is_some_and(|names| names.iter().any(|name| name == key));
    if !is_required && keyword(property, "default").is_none() {
        let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
        errors.push(FieldError::required(here.child("default"), detail));
    }
    if flag(property, "nullable") {
        let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
        errors.push(FieldError::forbidden(here.child("nullable"), detail));
    }
}

fn no_null_items(keywords: &Keywords, kind: &str, at: &FieldPath, errors: &mut Vec<FieldError>) {
    let nullable = schema(keywords, "items").is_some_and(|items| flag(items, "nullable"));
    if nullable && matches!(kind, "set" | "map") {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {kind}");
        errors.push(FieldError::forbidden(at.child("items").child("nullable"), &detail));
    }
}
