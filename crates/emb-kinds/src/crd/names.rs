//! The names that a definition asks for.

use emb_meta::{FieldError, FieldPath, ObjectExt, dns_1035_label_problem};
use serde_json::{Value, json};

pub(super) fn check(definition: &Value, errors: &mut Vec<FieldError>) {
    let path = FieldPath::new("spec").child("names");
    let names = definition.pointer("/spec/names").unwrap_or(&Value::Null);
    for member in ["plural", "singular"] {
        check_label(names.text(&[member]), &path.child(member), errors);
    }
    for member in ["kind", "listKind"] {
        check_kind(names.text(&[member]), &path.child(member), errors);
    }
    for member in ["shortNames", "categories"] {
        let items = names.get(member).and_then(Value::as_array);
        for (index, item) in items.into_iter().flatten().enumerate() {
            let at = path.child(member).index(index);
            check_label(item.as_str().unwrap_or_default(), &at, errors);
        }
    }
    let (kind, list_kind) = (names.text(&["kind"]), names.text(&["listKind"]));
    if kind == list_kind && !kind.is_empty() {
        let detail = "kind and listKind may not be the same";
        errors.push(FieldError::invalid(path.child("listKind"), &json!(list_kind), detail));
    }
}

fn check_label(text: &str, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if text.is_empty() {
        errors.push(FieldError::required(path, ""));
    } else if let Some(problem) = dns_1035_label_problem(text) {
        errors.push(FieldError::invalid(path, &json!(text), &problem));
    }
}

fn check_kind(text: &str, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if text.is_empty() {
        errors.push(FieldError::required(path, ""));
    } else if let Some(problem) = dns_1035_label_problem(&text.to_lowercase()) {
        let detail = format!("may have mixed case, but should otherwise match: {problem}");
        errors.push(FieldError::invalid(path, &json!(text), &detail));
    }
}
