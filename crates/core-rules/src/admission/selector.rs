//! Selectors that cannot be read: refused where upstream does, else a warning.

use api_kinds::selector::{LabelSelector, PromotionPolicySelector};
use core_pattern::NamePattern;

use crate::selector::{check_labels, check_policy};

/// What is wrong with a selector by labels at `path`.
pub(super) fn warn_labels(selector: &LabelSelector, path: &str) -> Option<String> {
    check_labels(selector).err().map(|error| format!("{path}: {error}"))
}

/// What is wrong with a selector by name and labels at `path`.
pub(super) fn warn_policy(selector: &PromotionPolicySelector, path: &str) -> Option<String> {
    if let Err(error) = parse_name(&selector.name) {
        return Some(format!("{path}.name: {error}"));
    }
    check_policy(selector).err().map(|error| format!("{path}: {error}"))
}

/// Why a name with a colon is not a pattern.
pub(super) fn parse_name(name: &str) -> Result<(), String> {
    let Some((identifier, _)) = name.split_once(':') else { return Ok(()) };
    if !["regex", "regexp", "glob"].contains(&identifier) {
        return Err(format!(
            "invalid pattern identifier {identifier:?}: must be \"regex\", \"regexp\" or \"glob\""
        ));
    }
    NamePattern::parse(name).map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{parse_name, warn_labels, warn_policy};

    #[test]
    fn a_name_with_a_colon_is_a_pattern() {
        for good in ["", "prod", "glob:prod-*", "regex:^a", "regexp:b$"] {
            assert_eq!(parse_name(good), Ok(()), "{good}");
        }
        assert_eq!(
            parse_name("Glob:x").unwrap_err(),
            r#"invalid pattern identifier "Glob": must be "regex", "regexp" or "glob""#
        );
        assert!(parse_name("regex:(").is_err());
    }

    #[test]
    fn warnings_say_where() {
        let selector = serde_json::from_value(json!({"matchLabels": {"a b": "x"}})).unwrap();
        assert!(warn_labels(&selector, "spec.s").unwrap().starts_with("spec.s: "));
        let selector = serde_json::from_value(json!({"name": "glob:["})).unwrap();
        assert!(warn_policy(&selector, "spec.s").unwrap().starts_with("spec.s.name: "));
        let selector = serde_json::from_value(json!({"name": "a", "matchLabels": {"a": "x"}}));
        assert_eq!(warn_policy(&selector.unwrap(), "spec.s"), None);
    }
}
