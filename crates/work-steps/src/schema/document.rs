//! Schemas as files: what user interfaces build forms from and editors check against.

use serde_json::{Map, Value};

use crate::step::AnyStep;

/// The name that the schema of a kind has as a file.
pub fn file_name(kind: &str) -> String {
    format!("{kind}-config.json")
}

/// The schema of a kind as a document, under the title that goes with its file.
pub fn document(step: &dyn AnyStep) -> Value {
    let mut schema = step.schema().to_value();
    drop_empty_defaults(&mut schema);
    let Value::Object(schema) = schema else { return Value::Bool(true) };
    let mut document = Map::new();
    for first in ["$schema", "title", "description"] {
        let value = match first {
            "title" => Some(Value::from(title(step.kind()))),
            name => schema.get(name).cloned(),
        };
        document.extend(value.map(|value| (first.to_owned(), value)));
    }
    let rest = schema.into_iter().filter(|(name, _)| name != "title");
    for (name, value) in rest {
        document.entry(name).or_insert(value);
    }
    Value::Object(document)
}

/// A field that is left out has no value; forms would fill an empty one in, and be refused.
fn drop_empty_defaults(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let is_empty = members.get("default").is_some_and(|default| match default {
                Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(members) => members.is_empty(),
                Value::Bool(_) | Value::Number(_) => false,
            });
            if is_empty {
                members.remove("default");
            }
            members.values_mut().for_each(drop_empty_defaults);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_empty_defaults),
        _ => {}
    }
}

/// `git-wait-for-pr` becomes `GitWaitForPrConfig`.
fn title(kind: &str) -> String {
    let words = kind.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    words.chain(["Config".to_owned()]).collect()
}
