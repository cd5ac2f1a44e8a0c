//! Selectors of fields: what the values at some paths of an object must be.

use serde_json::Value;

use super::ListingError;

const MAX_PARTS: usize = 20;
const MAX_DEPTH: usize = 16;

/// What values of an object must be: all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    path: Vec<String>,
    value: String,
    is_equal: bool,
}

impl FieldSelector {
    /// Reads `path=value` and `path!=value`, separated by commas.
    pub fn parse(text: &str) -> Result<Self, ListingError> {
        let parts: Vec<&str> =
            text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        if parts.len() > MAX_PARTS {
            return Err(ListingError::TooMany("fieldSelector"));
        }
        let wrong = |part: &str| ListingError::Field(part.to_owned());
        let read = |part: &&str| requirement(part).ok_or_else(|| wrong(part));
        parts.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it selects this object. What is absent is as good as empty.
    pub fn matches(&self, object: &Value) -> bool {
        self.0.iter().all(|requirement| {
            let found = requirement.path.iter().try_fold(object, |value, key| value.get(key));
            (text(found) == requirement.value) == requirement.is_equal
        })
    }
}

fn text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

fn requirement(part: &str) -> Option<Requirement> {
    let (path, value, is_equal) = if let Some((path, value)) = part.split_once("!=") {
        (path, value, false)
    } else {
        let (path, value) = part.split_once("==").or_else(|| part.split_once('='))?;
        (path, value, true)
    };
    Some(Requirement { path: self::path(path)?, value: value.trim().to_owned(), is_equal })
}

/// The keys of a path such as `status.phase`.
pub(super) fn path(text: &str) -> Option<Vec<String>> {
    let keys: Vec<String> =
        text.trim().trim_start_matches('.').split('.').map(str::to_owned).collect();
    let is_key = |key: &String| {
        !key.is_empty()
            && key.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '/'))
    };
    (keys.len() <= MAX_DEPTH && keys.iter().all(is_key)).then_some(keys)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_compared_as_text_and_the_absent_is_empty() {
        let object = json!({"metadata": {"name": "a"}, "spec": {"n": 3, "on": true}});
        for (selector, expected) in [
            ("", true),
            ("metadata.name=a", true),
            (".metadata.name==a,spec.n=3", true),
            ("spec.on=true,status.phase!=Running", true),
            ("status.phase=", true),
            ("metadata.name!=a", false),
            ("metadata.name=a,spec.n=4", false),
        ] {
            assert_eq!(
                FieldSelector::parse(selector).unwrap().matches(&object),
                expected,
                "{selector}"
            );
        }
        for (selector, part) in [("x", "x"), ("a..b=c", "a..b=c"), ("=c", "=c")] {
            let error = FieldSelector::parse(selector).unwrap_err();
            assert_eq!(error, ListingError::Field(part.to_owned()), "{selector}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,40}") {
            if let Ok(selector) = FieldSelector::parse(&text) {
                selector.matches(&json!({"a": [1]}));
            }
        }
    }
}
