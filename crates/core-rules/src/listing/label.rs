//! Selectors of labels, as they are written in a query.

use super::ListingError;

/// More requirements than anybody has.
const MAX_PARTS: usize = 100;

/// What the labels of an object must be: all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Requirement {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Missing(String),
}

impl LabelSelector {
    /// Reads a selector.
    pub fn parse(text: &str) -> Result<Self, ListingError> {
        let parts: Vec<&str> = parts(text).filter(|part| !part.is_empty()).collect();
        if parts.len() > MAX_PARTS {
            return Err(ListingError::TooMany("labelSelector"));
        }
        let wrong = |part: &str| ListingError::Label(part.to_owned());
        let read = |part: &&str| requirement(part).ok_or_else(|| wrong(part));
        parts.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it selects an object with these labels.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
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
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let split = text.split(move |character| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    });
    split.map(str::trim)
}

fn requirement(part: &str) -> Option<Requirement> {
    if let Some(name) = part.strip_prefix('!') {
        return Some(Requirement::Missing(key(name)?));
    }
    if let Some((name, other)) = part.split_once("!=") {
        return Some(Requirement::NotIn(key(name)?, vec![value(other)?]));
    }
    if let Some((name, same)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return Some(Requirement::In(key(name)?, vec![value(same)?]));
    }
    let Some((head, list)) = part.split_once('(') else {
        return Some(Requirement::Exists(key(part)?));
    };
    let values = list.strip_suffix(')')?.split(',').map(value).collect::<Option<Vec<_>>>()?;
    let mut words = head.split_whitespace();
    let name = key(words.next()?)?;
    match (words.next(), words.next()) {
        (Some("in"), None) => Some(Requirement::In(name, values)),
        (Some("notin"), None) => Some(Requirement::NotIn(name, values)),
        _ => None,
    }
}

fn key(text: &str) -> Option<String> {
    value(text).filter(|key| !key.is_empty())
}

fn value(text: &str) -> Option<String> {
    let text = text.trim();
    let is_plain = |character: char| {
        character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | '/')
    };
    text.chars().all(is_plain).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(selector: &str) -> bool {
        let labels = [("app", "web"), ("tier", "front"), ("a.b/c", "")];
        let label =
            |name: &str| labels.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        LabelSelector::parse(selector).unwrap().matches(label)
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
            let error = LabelSelector::parse(selector).unwrap_err();
            assert_eq!(error, ListingError::Label(part.to_owned()), "{selector}");
        }
        let many = vec!["a"; MAX_PARTS + 1].join(",");
        assert_eq!(LabelSelector::parse(&many), Err(ListingError::TooMany("labelSelector")));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[a-c=!,() in]{0,30}") {
            let _ = LabelSelector::parse(&text);
        }
    }
}
