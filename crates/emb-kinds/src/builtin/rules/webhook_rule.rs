//! The rules of a webhook: which requests it is called for. A wildcard stands alone, because anything beside it would
//! only look like a limit.

use std::collections::BTreeSet;

use emb_meta::{FieldError, FieldPath};
use serde_json::{Value, json};

use super::{items, webhook::check_choice};

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

/// Checks the rule at `path`.
pub(super) fn check(rule: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    for (member, others) in
        [("operations", "operations"), ("apiGroups", "API groups"), ("apiVersions", "API versions")]
    {
        let at = path.child(member);
        check_wildcard(rule, member, others, &at, errors);
        match member {
            "operations" => check_operations(rule, &at, errors),
            "apiVersions" => check_not_empty(rule, member, &at, errors),
            _ => {}
        }
    }
    check_resources(rule, &path.child("resources"), errors);
    check_choice(rule, "scope", &["*", "Cluster", "Namespaced"], path, errors);
}

fn check_wildcard(
    rule: &Value,
    member: &str,
    others: &str,
    path: &FieldPath,
    errors: &mut Vec<FieldError>,
) {
    let count = items(rule, member).count();
    if count == 0 {
        errors.push(FieldError::required(path, ""));
    } else if count > 1 && items(rule, member).any(|item| item == "*") {
        let list = rule.get(member).unwrap_or(&Value::Null);
        let detail = format!("if '*' is present, must not specify other {others}");
        errors.push(FieldError::invalid(path, list, &detail));
    }
}

fn check_operations(rule: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    for (index, operation) in items(rule, "operations").enumerate() {
        if !operation.as_str().is_some_and(|text| OPERATIONS.contains(&text)) {
            errors.push(FieldError::not_supported(path.index(index), operation, OPERATIONS));
        }
    }
}

fn check_not_empty(rule: &Value, member: &str, path: &FieldPath, errors: &mut Vec<FieldError>) {
    for (index, item) in items(rule, member).enumerate() {
        if item == "" {
            errors.push(FieldError::required(path.index(index), ""));
        }
    }
}

fn check_resources(rule: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let resources: Vec<&str> = items(rule, "resources").filter_map(Value::as_str).collect();
    if resources.is_empty() {
        errors.push(FieldError::required(path, ""));
    }
    let mut any_subresource_of = BTreeSet::new();
    let mut subresource_of_any = BTreeSet::new();
    for (index, text) in resources.iter().enumerate() {
        let at = path.index(index);
        if text.is_empty() {
            errors.push(FieldError::required(at, ""));
            continue;
        }
        let Some((resource, subresource)) = text.split_once('/') else { continue };
        let mut refuse = |covering: String| {
            let detail = format!("if '{covering}' is present, must not specify {text}");
            errors.push(FieldError::invalid(&at, &json!(text), &detail));
        };
        if any_subresource_of.contains(resource) {
            refuse(format!("{resource}/*"));
        }
        if subresource_of_any.contains(subresource) {
            refuse(format!("*/{subresource}"));
        }
        if subresource == "*" {
            any_subresource_of.insert(resource);
        }
        if resource == "*" {
            subresource_of_any.insert(subresource);
        }
    }
    check_resource_wildcards(&resources, path, errors);
}

fn check_resource_wildcards(resources: &[&str], path: &FieldPath, errors: &mut Vec<FieldError>) {
    if resources.len() > 1 && resources.contains(&"*/*") {
        let detail = "if '*/*' is present, must not specify other resources";
        errors.push(FieldError::invalid(path, &json!(resources), detail));
    }
    let is_plain = |text: &&str| !text.is_empty() && *text != "*" && !text.contains('/');
    if resources.contains(&"*") && resources.iter().any(is_plain) {
        let detail = "if '*' is present, must not specify other resources without subresources";
        errors.push(FieldError::invalid(path, &json!(resources), detail));
    }
}
