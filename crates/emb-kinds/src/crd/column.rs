//! The printer columns of a version.

use emb_meta::{FieldError, FieldPath, ObjectExt};
use serde_json::{Value, json};

use crate::{resource::Column, table::JsonPath};

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

pub(super) fn check(version: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    for (index, column) in definitions(version).enumerate() {
        check_one(column, &path.index(index), errors);
    }
}

/// The columns of the table: the name, then those of the version, or the age.
pub(super) fn columns(version: &Value) -> Vec<Column> {
    let mut columns = vec![Column {
        name: "Name".to_owned(),
        kind: "string".to_owned(),
        format: "name".to_owned(),
        description: "The object's name.".to_owned(),
        priority: 0,
        path: None,
    }];
    columns.extend(definitions(version).filter_map(column));
    if columns.len() == 1 {
        let age = json!({
            "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp",
            "description": "When the object was created.",
        });
        columns.extend(column(&age));
    }
    columns
}

fn definitions(version: &Value) -> impl Iterator<Item = &Value> {
    version.get("additionalPrinterColumns").and_then(Value::as_array).into_iter().flatten()
}

fn column(definition: &Value) -> Option<Column> {
    let path: JsonPath = definition.text(&["jsonPath"]).parse().ok()?;
    let description = match definition.text(&["description"]) {
        "" => format!("Custom resource definition column (in JSONPath format): {path}"),
        given => given.to_owned(),
    };
    let priority = definition.get("priority").and_then(Value::as_i64).unwrap_or_default();
    Some(Column {
        name: definition.text(&["name"]).to_owned(),
        kind: definition.text(&["type"]).to_owned(),
        format: definition.text(&["format"]).to_owned(),
        description,
        priority: i32::try_from(priority).unwrap_or_default(),
        path: Some(path),
    })
}

fn check_one(column: &Value, path: &FieldPath, errors: &mut Vec<FieldError>) {
    if column.text(&["name"]).is_empty() {
        errors.push(FieldError::required(path.child("name"), ""));
    }
    let kind = column.text(&["type"]);
    if kind.is_empty() {
        let detail = format!("must be one of {}", TYPES.join(","));
        errors.push(FieldError::required(path.child("type"), &detail));
    } else {
        check_choice(kind, &TYPES, &path.child("type"), errors);
    }
    let format = column.text(&["format"]);
    if !format.is_empty() {
        check_choice(format, &FORMATS, &path.child("format"), errors);
    }
    let text = column.text(&["jsonPath"]);
    let at = path.child("JSONPath");
    if text.is_empty() {
        errors.push(FieldError::required(at, ""));
    } else if !text.starts_with('.') {
        let detail = "must be a simple json path starting with .";
        errors.push(FieldError::invalid(at, &json!(text), detail));
    } else if let Err(problem) = text.parse::<JsonPath>() {
        let detail = format!("is an invalid json path: {problem}");
        errors.push(FieldError::invalid(at, &json!(text), &detail));
    }
}

fn check_choice(text: &str, choices: &[&str], path: &FieldPath, errors: &mut Vec<FieldError>) {
    if !choices.contains(&text) {
        let detail = format!("must be one of {}", choices.join(","));
        errors.push(FieldError::invalid(path, &json!(text), &detail));
    }
}
