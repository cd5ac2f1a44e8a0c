//! What of an object is shown.

use serde_json::{Map, Value, json};

use super::{ListingError, card, field};

const MAX_PATHS: usize = 50;

/// What is always shown, because nobody can do without.
const ALWAYS: [&[&str]; 6] = [
    &["apiVersion"],
    &["kind"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "uid"],
    &["metadata", "resourceVersion"],
];

/// What of an object is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Everything.
    #[default]
    Whole,
    /// What a card or a row of an interface shows.
    Card,
    /// What stands at these paths, and what names the object.
    Paths(Vec<Vec<String>>),
}

impl View {
    /// Reads `card`, or paths separated by commas; empty is everything.
    pub fn parse(text: &str) -> Result<Self, ListingError> {
        match text {
            "" => return Ok(Self::Whole),
            "card" => return Ok(Self::Card),
            _ => {}
        }
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > MAX_PATHS {
            return Err(ListingError::TooMany("fields"));
        }
        let wrong = |part: &str| ListingError::Path(part.to_owned());
        let read = |part: &&str| field::path(part).ok_or_else(|| wrong(part));
        parts.iter().map(read).collect::<Result<_, _>>().map(Self::Paths)
    }

    /// The object, as far as it is shown.
    pub fn of(&self, mut object: Value) -> Value {
        match self {
            Self::Whole => object,
            Self::Card => {
                card::reduce(&mut object);
                object
            }
            Self::Paths(paths) => {
                let mut shown = json!({});
                for path in ALWAYS {
                    copy(&object, path, &mut shown);
                }
                for path in paths {
                    let path: Vec<&str> = path.iter().map(String::as_str).collect();
                    copy(&object, &path, &mut shown);
                }
                shown
            }
        }
    }
}

/// Copies what stands at a path. Where a list is on the way, the rest of the path is taken from each of its items.
fn copy(from: &Value, path: &[&str], to: &mut Value) {
    let Some((key, rest)) = path.split_first() else {
        *to = from.clone();
        return;
    };
    match from {
        Value::Object(fields) => {
            let Some(value) = fields.get(*key) else { return };
            if !to.is_object() {
                *to = Value::Object(Map::new());
            }
            if let Value::Object(shown) = to {
                copy(value, rest, shown.entry(*key).or_insert(Value::Null));
            }
        }
        Value::Array(items) => {
            if !to.is_array() {
                *to = Value::Array(vec![Value::Null; items.len()]);
            }
            if let Value::Array(shown) = to {
                items.iter().zip(shown).for_each(|(item, shown)| copy(item, path, shown));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_was_asked_for_is_shown_and_what_names_the_object() {
        let stage = json!({
            "apiVersion": "v", "kind": "Stage",
            "metadata": {"name": "qa", "namespace": "p", "labels": {"a": "b"}},
            "spec": {"shard": "x", "requestedFreight": [{"origin": {"name": "w"}, "sources": {}}]},
            "status": {"freightSummary": "1/1"},
        });
        let view = View::parse("spec.requestedFreight.origin.name,status,no.such").unwrap();
        let expected = json!({
            "apiVersion": "v", "kind": "Stage", "metadata": {"name": "qa", "namespace": "p"},
            "spec": {"requestedFreight": [{"origin": {"name": "w"}}]},
            "status": {"freightSummary": "1/1"},
        });
        assert_eq!(view.of(stage.clone()), expected);
        assert_eq!(View::parse("").unwrap().of(stage.clone()), stage);
        assert_eq!(View::parse("a,,b"), Err(ListingError::Path(String::new())));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,40}") {
            if let Ok(view) = View::parse(&text) {
                view.of(json!({"a": [{"b": 1}], "metadata": 5}));
            }
        }
    }
}
