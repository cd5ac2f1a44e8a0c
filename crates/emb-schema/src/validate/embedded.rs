//! The envelope of embedded resources: `apiVersion`, `kind` and `metadata`.

use emb_meta::{FieldError, NameRule, validate as metadata};
use serde_json::{Map, Value, json};

use crate::{
    node::{Envelope, Node},
    place::Place,
};

pub(super) fn check(root: &Node, value: &Value, errors: &mut Vec<FieldError>) {
    visit(root, value, &Place::Root, errors);
}

fn visit(node: &Node, value: &Value, place: &Place<'_>, errors: &mut Vec<FieldError>) {
    if !node.below.embedded {
        return;
    }
    match value {
        Value::Object(members) => {
            if node.envelope == Envelope::Embedded {
                check_envelope(members, place, errors);
            }
            for (name, member) in members {
                if let Some(schema) = node.properties.get(name.as_str()) {
                    visit(schema, member, &Place::Field(place, name), errors);
                } else if let Some(schema) = node.member(name) {
                    visit(schema, member, &Place::Key(place, name), errors);
                }
            }
        }
        Value::Array(items) => {
            for (schema, (index, item)) in node.items.iter().cycle().zip(items.iter().enumerate()) {
                visit(schema, item, &Place::Index(place, index), errors);
            }
        }
        _ => {}
    }
}

fn check_envelope(members: &Map<String, Value>, place: &Place<'_>, errors: &mut Vec<FieldError>) {
    for name in ["apiVersion", "kind"] {
        let field = Place::Field(place, name).to_string();
        match members.get(name) {
            None => errors.push(FieldError::required(field, "")),
            Some(Value::String(text)) if text.is_empty() => {
                errors.push(FieldError::invalid(field, &json!(""), "must not be empty"));
            }
            Some(Value::String(text)) => check_name(name, text, field, errors),
            Some(other) => errors.push(FieldError::invalid(field, other, "must be a string")),
        }
    }
    if let Some(own) = members.get("metadata") {
        check_metadata(own, &Place::Field(place, "metadata"), errors);
    }
}

fn check_name(member: &str, text: &str, field: String, errors: &mut Vec<FieldError>) {
    if member == "apiVersion" && text.matches('/').count() > 1 {
        let detail = format!("unexpected GroupVersion string: {text}");
        errors.push(FieldError::invalid(field, &json!(text), &detail));
    } else if member == "kind" && !is_kind(text) {
        let detail = "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
        errors.push(FieldError::invalid(field, &json!(text), detail));
    }
}

fn is_kind(text: &str) -> bool {
    text.len() <= 63
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.ends_with(|last: char| last.is_ascii_alphanumeric())
        && text.chars().all(|next| next.is_ascii_alphanumeric() || next == '-')
}

/// The metadata rules of a whole object, told for the embedded place. The name is optional here.
fn check_metadata(own: &Value, place: &Place<'_>, errors: &mut Vec<FieldError>) {
    if !own.is_object() {
        errors.push(FieldError::invalid(place.to_string(), own, "must be an object"));
        return;
    }
    let mut object = json!({ "metadata": own });
    if let Some(members) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        members.entry("name").or_insert_with(|| json!("unnamed"));
    }
    for mut error in metadata::check_create(&object, NameRule::PathSegment) {
        if let Some(rest) = error.field.strip_prefix("metadata") {
            error.field = format!("{place}{rest}");
        }
        errors.push(error);
    }
}
