//! What is wrong with a label selector that is part of an object.

use emb_meta::{FieldError, FieldPath, ObjectExt, validate};
use serde_json::{Value, json};

use super::items;

/// Checks the selector at `path`.
pub(crate) fn check(selector: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let labels = selector.get("matchLabels").and_then(Value::as_object);
    for (key, value) in labels.into_iter().flatten() {
        let at = path.child("matchLabels");
        errors.extend(validate::check_qualified_name(&at, key));
        errors.extend(validate::check_label_value(&at, value.as_str().unwrap_or_default()));
    }
    for (index, requirement) in items(selector, "matchExpressions").enumerate() {
        check_requirement(requirement, &path.child("matchExpressions").index(index), errors);
    }
}

fn check_requirement(requirement: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let operator = requirement.text(&["operator"]);
    let has_values = items(requirement, "values").next().is_some();
    let values = path.child("values");
    match operator {
        "In" | "NotIn" if !has_values => errors.push(FieldError::required(
            values,
            "must be specified when `operator` is 'In' or 'NotIn'",
        )),
        "Exists" | "DoesNotExist" if has_values => errors.push(FieldError::forbidden(
            values,
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        )),
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => errors.push(FieldError::invalid(
            path.child("operator"),
            &json!(operator),
            "not a valid selector operator",
        )),
    }
    errors.extend(validate::check_qualified_name(path.child("key"), requirement.text(&["key"])));
    for (index, value) in items(requirement, "values").enumerate() {
        let at = path.child("values").index(index);
        errors.extend(validate::check_label_value(at, value.as_str().unwrap_or_default()));
    }
}
