//! Schemas in the form of the document.

use serde_json::{Map, Value, json};

use super::object::PREFIX;

/// A list of objects, as Kubernetes has it.
pub(super) fn list_of(name: &str) -> Value {
    json!({
        "type": "object",
        "required": ["apiVersion", "items", "kind", "metadata"],
        "properties": {
            "apiVersion": { "type": "string" },
            "kind": { "type": "string" },
            "metadata": { "$ref": format!("{PREFIX}V1ListMeta") },
            "items": { "type": "array", "items": { "$ref": format!("{PREFIX}{name}") } },
        },
    })
}

/// A schema without what concerns Rust alone: titles, zero values, sizes of integers, and nulls,
/// which are never sent: a field that has no value is left out.
pub fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(fields) => tidy_object(fields),
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn tidy_object(fields: &mut Map<String, Value>) {
    for keyword in ["title", "default", "minimum", "$schema"] {
        fields.remove(keyword);
    }
    if fields.get("format").and_then(Value::as_str).is_some_and(|format| format.contains("int")) {
        fields.remove("format");
    }
    if let Some(Value::Array(types)) = fields.get("type") {
        let present: Vec<_> = types.iter().filter(|one| **one != "null").cloned().collect();
        if let [only] = present.as_slice() {
            fields.insert("type".to_owned(), only.clone());
        }
    }
    if let Some(Value::Array(choices)) = fields.get("anyOf") {
        let is_null = |choice: &Value| choice.get("type").is_some_and(|one| one == "null");
        let present: Vec<_> = choices.iter().filter(|choice| !is_null(choice)).cloned().collect();
        if let [Value::Object(only)] = present.as_slice() {
            fields.remove("anyOf");
            fields.extend(only.clone());
        }
    }
    if let Some(words) = words(fields) {
        fields.remove("oneOf");
        fields.insert("type".to_owned(), json!("string"));
        fields.insert("enum".to_owned(), Value::Array(words));
    }
    for (keyword, value) in fields {
        match value {
            // Those are names, and may be any.
            Value::Object(properties) if keyword == "properties" => {
                properties.values_mut().for_each(tidy);
            }
            other => tidy(other),
        }
    }
}

/// The words of a choice between words.
fn words(fields: &Map<String, Value>) -> Option<Vec<Value>> {
    let choices = fields.get("oneOf")?.as_array()?;
    choices
        .iter()
        .map(|choice| choice.get("const").filter(|word| word.is_string()).cloned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_may_be_absent_is_described_as_if_it_were_there() {
        let mut schema = json!({
            "title": "T", "type": "object", "default": {},
            "properties": {
                "title": { "type": ["string", "null"] },
                "count": { "type": "integer", "format": "uint", "minimum": 0 },
                "inner": { "anyOf": [{ "$ref": "#/x" }, { "type": "null" }] },
                "word": { "oneOf": [{ "const": "a", "type": "string" }, { "const": "b" }] },
            },
        });
        tidy(&mut schema);
        let expected = json!({
            "type": "object",
            "properties": {
                "title": { "type": "string" },
                "count": { "type": "integer" },
                "inner": { "$ref": "#/x" },
                "word": { "type": "string", "enum": ["a", "b"] },
            },
        });
        assert_eq!(schema, expected);
    }
}
