//! KYAML: YAML that is written like JSON, with braces and quoted text, and keys without quotes where that is safe.

use std::fmt::Write as _;

use serde_json::Value;

/// A document as KYAML.
pub(crate) fn to_kyaml(document: &Value) -> String {
    let mut text = "---\n".to_owned();
    write_value(&mut text, document, 0);
    text.push('\n');
    text
}

fn write_value(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            text.push_str("{\n");
            for (key, field) in fields {
                indent(text, depth + 1);
                write_key(text, key);
                text.push_str(": ");
                write_value(text, field, depth + 1);
                text.push_str(",\n");
            }
            indent(text, depth);
            text.push('}');
        }
        Value::Array(items) if !items.is_empty() => write_list(text, items, depth),
        // Text as JSON writes it is text for YAML too.
        scalar => {
            let _ = write!(text, "{scalar}");
        }
    }
}

/// Lists of objects have their braces on the lines of the brackets.
fn write_list(text: &mut String, items: &[Value], depth: usize) {
    let is_nested = |item: &Value| item.as_object().is_some_and(|fields| !fields.is_empty());
    if items.iter().all(is_nested) {
        text.push('[');
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                text.push_str(", ");
            }
            write_value(text, item, depth);
        }
        text.push(']');
        return;
    }
    text.push_str("[\n");
    for item in items {
        indent(text, depth + 1);
        write_value(text, item, depth + 1);
        text.push_str(",\n");
    }
    indent(text, depth);
    text.push(']');
}

fn indent(text: &mut String, depth: usize) {
    text.extend(std::iter::repeat_n("  ", depth));
}

/// A key that a reader of YAML would take for something else is quoted.
fn write_key(text: &mut String, key: &str) {
    const OTHER: &[&str] = &["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let is_plain = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        && !OTHER.contains(&key.to_ascii_lowercase().as_str());
    if is_plain {
        text.push_str(key);
    } else {
        let _ = write!(text, "{}", Value::from(key));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kyaml_is_yaml_with_braces() {
        let document = json!({
            "kind": "List", "no": true, "items": [{ "a": 1 }, { "b": [] }], "names": ["x", "y"],
        });
        let text = to_kyaml(&document);
        let expected = "---\n{\n  items: [{\n    a: 1,\n  }, {\n    b: [],\n  }],\n  kind: \"List\",\n  \
            names: [\n    \"x\",\n    \"y\",\n  ],\n  \"no\": true,\n}\n";
        assert_eq!(text, expected);
        let read: Value = serde_saphyr::from_str(text.trim_start_matches("---\n")).unwrap();
        assert_eq!(read, document);
    }
}
