//! Selectors of labels, as `kubectl` reads them.

use cli_client::Object;
use serde_json::Value;

/// What the labels of an object must be: all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Requirement {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Missing(String),
}

impl Selector {
    /// Reads a selector; the part that is none is the error.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let parts = parts(text).into_iter().filter(|part| !part.is_empty());
        parts.map(requirement).collect::<Result<_, _>>().map(Self)
    }

    /// Whether an object is meant.
    pub(super) fn matches(&self, object: &Object) -> bool {
        let labels = object.value().pointer("/metadata/labels");
        let label = |name: &str| labels.and_then(|labels| labels.get(name)).and_then(Value::as_str);
        self.0.iter().all(|requirement| match requirement {
            Requirement::In(name, values) => {
                label(name).is_some_and(|value| values.iter().any(|one| one == value))
            }
            Requirement::NotIn(name, values) => {
                label(name).is_none_or(|value| values.iter().all(|one| one != value))
            }
            Requirement::Exists(name) => label(name).is_some(),
            Requirement::Missing(name) => label(name).is_none(),
        })
    }
}

/// Parts between commas that are not in parentheses.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let split = text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    split.map(str::trim).collect()
}

fn requirement(part: &str) -> Result<Requirement, String> {
    let wrong = || part.to_owned();
    if let Some(name) = part.strip_prefix('!') {
        return Ok(Requirement::Missing(key(name).ok_or_else(wrong)?));
    }
    if let Some((name, values)) = part.split_once("!=") {
        let values = vec![value(values).ok_or_else(wrong)?];
        return Ok(Requirement::NotIn(key(name).ok_or_else(wrong)?, values));
    }
    if let Some((name, values)) = part.split_once("==").or_else(|| part.split_once('=')) {
        let values = vec![value(values).ok_or_else(wrong)?];
        return Ok(Requirement::In(key(name).ok_or_else(wrong)?, values));
    }
    let Some((head, list)) = part.split_once('(') else {
        return Ok(Requirement::Exists(key(part).ok_or_else(wrong)?));
    };
    let list = list.strip_suffix(')').ok_or_else(wrong)?;
    let values: Option<Vec<String>> = list.split(',').map(value).collect();
    let values = values.ok_or_else(wrong)?;
    let mut words = head.split_whitespace();
    let name = words.next().and_then(key).ok_or_else(wrong)?;
    match (words.next(), words.next()) {
        (Some("in"), None) => Ok(Requirement::In(name, values)),
        (Some("notin"), None) => Ok(Requirement::NotIn(name, values)),
        _ => Err(wrong()),
    }
}

fn key(text: &str) -> Option<String> {
    value(text).filter(|key| !key.is_empty())
}

fn value(text: &str) -> Option<String> {
    let text = text.trim();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    text.chars().all(is_plain).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn matches(selector: &str) -> bool {
        let labels = json!({ "app": "web", "tier": "front", "a.b/c": "" });
        let object = Object::new(json!({ "metadata": { "labels": labels } }));
        Selector::parse(selector).unwrap().matches(&object)
    }

    #[test]
    fn all_requirements_must_hold() {
        for selector in [
            "",
            "app=web",
            "app == web, tier!=back",
            "tier in (back, front)",
            "x notin (y),app",
            "!x",
            "a.b/c=",
        ] {
            assert!(matches(selector), "{selector}");
        }
        for selector in ["app=x", "app!=web", "tier in (back)", "tier notin (front)", "x", "!app"] {
            assert!(!matches(selector), "{selector}");
        }
    }

    #[test]
    fn what_is_no_selector_is_told() {
        for (selector, part) in
            [("a=b,c d", "c d"), ("=b", "=b"), ("a in (b", "a in (b"), ("a=b=c", "a=b=c")]
        {
            assert_eq!(Selector::parse(selector).unwrap_err(), part, "{selector}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[a-c=!,() in]{0,30}") {
            let _ = Selector::parse(&text);
        }
    }
}
