//! Schemas as files: what user interfaces build forms from and editors check against.

use serde_json::{Map, Value};

use crate::step::AnyStep;

/// The name that the schema of a kind has as a file.
pub fn file_name(kind: &str) -> String {
    format!("{kind}-config.json")
}

/// The schema of a kind as a document, under the title that goes with its file.
pub fn document(step: &dyn AnyStep) -> Value {
    let Value::Object(schema) = step.schema().to_value() else { return Value::Bool(true) };
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

/// `git-wait-for-pr` becomes `GitWaitForPrConfig`.
fn title(kind: &str) -> String {
    let words = kind.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    words.chain(["Config".to_owned()]).collect()
}
