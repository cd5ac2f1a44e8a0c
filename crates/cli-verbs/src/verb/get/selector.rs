//! Selectors of labels, as `kubectl` reads them, asked of objects that a server gave.

use cli_client::Object;
use core_rules::listing::{LabelSelector, ListingError};
use serde_json::Value;

/// What the labels of an object must be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selector(LabelSelector);

impl Selector {
    /// Reads a selector; the part that is none is the error.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let part = |error| match error {
            ListingError::Label(part) => part,
            other => other.to_string(),
        };
        LabelSelector::parse(text).map(Self).map_err(part)
    }

    /// Whether an object is meant.
    pub(super) fn matches(&self, object: &Object) -> bool {
        let labels = object.value().pointer("/metadata/labels");
        self.0.matches(|name| labels.and_then(|labels| labels.get(name)).and_then(Value::as_str))
    }
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
