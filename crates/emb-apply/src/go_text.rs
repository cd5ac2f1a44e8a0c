//! Values as Go prints them. The texts of refused applies come from there, and tools match them.

use serde_json::Value;

/// A value in plain words: `x`, `5`, `[a b]`, `map[k:v]`.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(plain), " ")),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{name}:{}", plain(value)));
            format!("map[{}]", joined(members, " "))
        }
        scalar => scalar.to_string(),
    }
}

/// A value as a program would write it.
pub(crate) fn syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", joined(items.iter().map(syntax), ", "))
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{name:?}:{}", syntax(value)));
            format!("map[string]interface {{}}{{{}}}", joined(members, ", "))
        }
        Value::String(text) => format!("{text:?}"),
        scalar => scalar.to_string(),
    }
}

/// The type of a value.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn joined(parts: impl Iterator<Item = String>, separator: &str) -> String {
    parts.collect::<Vec<_>>().join(separator)
}
