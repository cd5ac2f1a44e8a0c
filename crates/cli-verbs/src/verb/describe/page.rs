//! An object as a page of words: every field on a line of its own, beneath what it belongs to.

use cli_client::Object;
use serde_json::{Map, Value};

/// Deeper than any object of ours goes; what is deeper is shown as JSON.
const DEEPEST: usize = 24;

/// The page of an object: who it is, then everything about it that is not bookkeeping.
pub(super) fn page(object: &Object) -> String {
    let mut page = String::new();
    let metadata = object.value().get("metadata").and_then(Value::as_object);
    for field in ["name", "namespace", "creationTimestamp", "labels", "annotations"] {
        if let Some(value) = metadata.and_then(|metadata| metadata.get(field)) {
            write_field(&mut page, 0, field, value);
        }
    }
    let fields = object.value().as_object().into_iter().flat_map(Map::iter);
    for (name, value) in fields.filter(|(name, _)| name.as_str() != "metadata") {
        write_field(&mut page, 0, name, value);
    }
    page
}

/// Lines moved to the right.
pub(super) fn indented(text: &str) -> String {
    text.lines().flat_map(|line| ["  ", line, "\n"]).collect()
}

fn write_field(page: &mut String, depth: usize, name: &str, value: &Value) {
    // Keys of maps that people wrote, such as annotations, are shown as they are.
    let title = if name.contains(['/', '.', '-']) { name.to_owned() } else { words(name) };
    let margin = "  ".repeat(depth);
    page.extend([margin.as_str(), &title, ":"]);
    match scalar(value, depth) {
        Some(text) if !text.contains('\n') => page.extend(["  ", &plain(&text), "\n"]),
        Some(text) => {
            page.push('\n');
            for line in text.lines() {
                page.extend([margin.as_str(), "  ", &plain(line), "\n"]);
            }
        }
        None => {
            page.push('\n');
            write_inside(page, depth + 1, value);
        }
    }
}

fn write_inside(page: &mut String, depth: usize, value: &Value) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| write_field(page, depth, name, value));
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                write_field(page, depth, &format!("{}.", at + 1), item);
            }
        }
        _ => {}
    }
}

/// What has no parts, or too many levels of them.
fn scalar(value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(fields) if fields.is_empty() => Some("none".to_owned()),
        Value::Array(items) if items.is_empty() => Some("none".to_owned()),
        Value::Object(_) | Value::Array(_) if depth < DEEPEST => None,
        other => Some(other.to_string()),
    }
}

/// `freightHistory` becomes `Freight History`.
fn words(name: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for (at, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && was_lower {
            words.push(' ');
        }
        was_lower = letter.is_lowercase();
        match at {
            0 => words.extend(letter.to_uppercase()),
            _ => words.push(letter),
        }
    }
    words
}

/// Text that cannot drive the terminal.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_fields_become_words() {
        assert_eq!(words("freightHistory"), "Freight History");
        assert_eq!(words("repoURL"), "Repo URL");
    }

    #[test]
    fn every_field_has_a_line_and_bookkeeping_has_none() {
        let object = Object::new(json!({
            "kind": "Stage",
            "metadata": { "name": "dev", "uid": "1", "managedFields": [1], "labels": { "a/b-c": "d" } },
            "spec": { "vars": [{ "name": "x", "value": "1\n2" }], "empty": {} },
        }));
        let expected = "Name:  dev\nLabels:\n  a/b-c:  d\nKind:  Stage\nSpec:\n  Empty:  none\n  Vars:\n    1.:\n      \
            Name:  x\n      Value:\n        1\n        2\n";
        assert_eq!(page(&object), expected);
    }
}
