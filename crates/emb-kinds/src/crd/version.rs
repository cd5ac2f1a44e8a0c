//! The versions of a definition.

use std::collections::BTreeSet;

use emb_meta::{FieldError, FieldPath, ObjectExt, dns_1035_label_problem};
use emb_schema::Schema;
use serde_json::{Value, json};

use super::{column, flag, place::places, versions};
use crate::table::JsonPath;

const WARNING_LIMIT: usize = 256;
const SELECTABLE_LIMIT: usize = 8;

/// Checks all versions; gives warnings for the author.
pub(super) fn check(definition: &Value, errors: &mut Vec<FieldError>) -> Vec<String> {
    let path = FieldPath::new("spec").child("versions");
    for (index, version) in versions(definition).iter().enumerate() {
        let at = path.index(index);
        let name = version.text(&["name"]);
        if let Some(problem) = dns_1035_label_problem(name) {
            errors.push(FieldError::invalid(at.child("name"), &json!(name), &problem));
        }
        check_deprecation(version, &at.child("deprecationWarning"), errors);
        if version.pointer("/schema/openAPIV3Schema").is_none() {
            let at = at.child("schema").child("openAPIV3Schema");
            errors.push(FieldError::required(at, ""));
        }
    }
    check_set(definition, &path, errors);
    let warnings = check_schemas(definition, errors);
    for (at, version) in places(definition, "subresources", "subresources") {
        check_scale(version, &at.child("scale"), errors);
    }
    for (at, version) in places(definition, "additionalPrinterColumns", "additionalPrinterColumns")
    {
        column::check(version, &at, errors);
    }
    for (at, version) in places(definition, "selectableFields", "selectableFields") {
        check_selectable(version, &at, errors);
    }
    warnings
}

/// Names differ and exactly one version is stored.
fn check_set(definition: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let all = versions(definition);
    let shown = definition.pointer("/spec/versions").unwrap_or(&Value::Null);
    let names: BTreeSet<&str> = all.iter().map(|version| version.text(&["name"])).collect();
    if names.len() < all.len() {
        errors.push(FieldError::invalid(path, shown, "must contain unique version names"));
    }
    if all.iter().filter(|version| flag(version, "storage")).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.push(FieldError::invalid(path, shown, detail));
    }
}

fn check_deprecation(version: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let Some(warning) = version.get("deprecationWarning").and_then(Value::as_str) else { return };
    let mut refuse = |detail| errors.push(FieldError::invalid(path, &json!(warning), detail));
    if !flag(version, "deprecated") {
        refuse("can only be set for deprecated versions");
    }
    if warning.is_empty() {
        refuse("must not be an empty string");
    }
    if warning.chars().any(char::is_control) {
        refuse("must only contain printable UTF-8 characters; non-printable character found");
    }
    if warning.len() > WARNING_LIMIT {
        errors.push(FieldError::too_long(path, WARNING_LIMIT));
    }
}

fn check_schemas(definition: &Value, errors: &mut Vec<FieldError>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (at, version) in places(definition, "schema", "validation") {
        let Some(schema) = version.pointer("/schema/openAPIV3Schema") else { continue };
        match Schema::compile(schema, &at.child("openAPIV3Schema")) {
            Ok((_, more)) => warnings.extend(more),
            Err(more) => errors.extend(more),
        }
    }
    warnings
}

fn check_scale(version: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let Some(scale) = version.pointer("/subresources/scale") else { return };
    for member in ["specReplicasPath", "statusReplicasPath"] {
        if scale.text(&[member]).is_empty() {
            errors.push(FieldError::required(path.child(member), ""));
        }
    }
}

fn check_selectable(version: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    let fields = version.get("selectableFields").and_then(Value::as_array);
    let fields = fields.map(Vec::as_slice).unwrap_or_default();
    if fields.len() > SELECTABLE_LIMIT {
        errors.push(FieldError::too_many(path, fields.len(), SELECTABLE_LIMIT));
        return;
    }
    let mut seen = BTreeSet::new();
    for (index, field) in fields.iter().enumerate() {
        let at = path.index(index).child("jsonPath");
        let text = field.text(&["jsonPath"]);
        if text.is_empty() {
            errors.push(FieldError::required(at, ""));
        } else if !seen.insert(text) {
            errors.push(FieldError::duplicate(at, &json!(text)));
        } else if let Some(problem) = selectable_problem(version, text) {
            errors.push(FieldError::invalid(at, &json!(text), &problem));
        }
    }
}

/// Only members that the schema declares as plain values can be selected by.
fn selectable_problem(version: &Value, text: &str) -> Option<String> {
    let path: JsonPath = match text.parse() {
        Ok(path) => path,
        Err(problem) => return Some(format!("is an invalid path: {problem}")),
    };
    let Some(members) = path.members() else {
        return Some("is an invalid path: only fields may be named".to_owned());
    };
    let schema = version.pointer("/schema/openAPIV3Schema");
    let found = members
        .iter()
        .try_fold(schema?, |at, member| at.get("properties")?.get(member))
        .filter(|_| members.first() != Some(&"metadata"));
    match found {
        None => Some("is an invalid path: does not refer to a valid field".to_owned()),
        Some(field) if matches!(field.text(&["type"]), "string" | "boolean" | "integer") => None,
        Some(_) => Some(
            "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
                .to_owned(),
        ),
    }
}
