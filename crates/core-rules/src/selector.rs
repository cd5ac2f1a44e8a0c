//! Selectors: whether labels and names are selected, and whether a selector makes sense at all.
//!
//! A selector that the schema accepts can still be meaningless (an operator nobody knows, a label
//! that cannot exist). That is an error and never "selects nothing", because a policy that silently
//! does not apply is dangerous.

use std::collections::BTreeMap;

use api_kinds::selector::{LabelSelector, LabelSelectorRequirement, PromotionPolicySelector};
use core_pattern::{NamePattern, PatternError};

type Labels = BTreeMap<String, String>;

/// Why a selector cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// The pattern for names is malformed.
    #[error("the name pattern {pattern:?} is invalid: {reason}")]
    Name {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The operator is none of the four.
    #[error(
        "{operator:?} is not a valid operator for label {key:?}: must be In, NotIn, Exists or DoesNotExist"
    )]
    Operator {
        /// The label.
        key: String,
        /// The operator.
        operator: String,
    },
    /// The operator compares with values and there are none.
    #[error("operator {operator} for label {key:?} needs values")]
    ValuesMissing {
        /// The label.
        key: String,
        /// The operator.
        operator: String,
    },
    /// The operator compares with nothing and there are values.
    #[error("operator {operator} for label {key:?} takes no values")]
    ValuesInTheWay {
        /// The label.
        key: String,
        /// The operator.
        operator: String,
    },
    /// No label can have this key.
    #[error("{0:?} is not a valid label key")]
    Key(String),
    /// No label can have this value.
    #[error("{0:?} is not a valid label value")]
    Value(String),
}

/// Whether the selector selects an object with these labels.
pub fn matches_labels(
    selector: &LabelSelector,
    labels: Option<&Labels>,
) -> Result<bool, SelectorError> {
    match_parts(&selector.match_labels, &selector.match_expressions, labels)
}

/// The selector as a query of the Kubernetes API.
pub fn label_query(selector: &LabelSelector) -> Result<String, SelectorError> {
    check_labels(selector)?;
    let equal = selector.match_labels.iter().map(|(key, value)| format!("{key}={value}"));
    let expressions = selector.match_expressions.iter().map(|expression| {
        let LabelSelectorRequirement { key, operator, values } = expression;
        let values = values.join(",");
        match operator.as_str() {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.clone(),
        }
    });
    Ok(equal.chain(expressions).collect::<Vec<_>>().join(","))
}

/// Whether the selector makes sense, whatever it is applied to.
pub fn check_labels(selector: &LabelSelector) -> Result<(), SelectorError> {
    matches_labels(selector, None).map(drop)
}

/// Whether the selector makes sense, whatever it is applied to.
pub fn check_policy(selector: &PromotionPolicySelector) -> Result<(), SelectorError> {
    matches_policy(selector, "", None).map(drop)
}

/// Whether the selector selects a Stage or Project of this name with these labels.
pub fn matches_policy(
    selector: &PromotionPolicySelector,
    name: &str,
    labels: Option<&Labels>,
) -> Result<bool, SelectorError> {
    let has_labels = match_parts(&selector.match_labels, &selector.match_expressions, labels)?;
    Ok(matches_name(&selector.name, name)? && has_labels)
}

/// Whether the pattern selects the name. An empty pattern selects every name.
pub fn matches_name(pattern: &str, name: &str) -> Result<bool, SelectorError> {
    if pattern.is_empty() {
        return Ok(true);
    }
    let parsed = NamePattern::parse(pattern).map_err(|error: PatternError| {
        SelectorError::Name { pattern: pattern.to_owned(), reason: error.to_string() }
    })?;
    Ok(parsed.matches(name))
}

/// Every part is looked at even after one did not match, so that an error does not depend on the
/// object.
fn match_parts(
    match_labels: &Labels,
    expressions: &[LabelSelectorRequirement],
    labels: Option<&Labels>,
) -> Result<bool, SelectorError> {
    let value_of = |key: &str| labels.and_then(|labels| labels.get(key)).map(String::as_str);
    let mut is_match = true;
    for (key, value) in match_labels {
        check_key(key)?;
        check_value(value)?;
        is_match &= value_of(key) == Some(value);
    }
    for expression in expressions {
        is_match &= match_expression(expression, value_of(&expression.key))?;
    }
    Ok(is_match)
}

fn match_expression(
    expression: &LabelSelectorRequirement,
    value: Option<&str>,
) -> Result<bool, SelectorError> {
    let LabelSelectorRequirement { key, operator, values } = expression;
    check_key(key)?;
    values.iter().try_for_each(|value| check_value(value))?;
    let is_listed = value.is_some_and(|value| values.iter().any(|listed| listed == value));
    let (key, operator) = (key.clone(), operator.clone());
    match (operator.as_str(), values.is_empty()) {
        ("In", false) => Ok(is_listed),
        ("NotIn", false) => Ok(!is_listed),
        ("Exists", true) => Ok(value.is_some()),
        ("DoesNotExist", true) => Ok(value.is_none()),
        ("In" | "NotIn", true) => Err(SelectorError::ValuesMissing { key, operator }),
        ("Exists" | "DoesNotExist", false) => Err(SelectorError::ValuesInTheWay { key, operator }),
        _ => Err(SelectorError::Operator { key, operator }),
    }
}

fn check_key(key: &str) -> Result<(), SelectorError> {
    let (prefix, name) = key.split_once('/').map_or((None, key), |(a, b)| (Some(a), b));
    let is_valid = prefix.is_none_or(is_subdomain) && !name.is_empty() && is_label_text(name);
    if is_valid { Ok(()) } else { Err(SelectorError::Key(key.to_owned())) }
}

fn check_value(value: &str) -> Result<(), SelectorError> {
    if is_label_text(value) { Ok(()) } else { Err(SelectorError::Value(value.to_owned())) }
}

/// At most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends; or nothing.
pub(crate) fn is_label_text(text: &str) -> bool {
    let is_end = |end: Option<char>| end.is_none_or(|letter| letter.is_ascii_alphanumeric());
    text.len() <= 63
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && is_end(text.chars().next())
        && is_end(text.chars().next_back())
}

fn is_subdomain(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use api_kinds::selector::PromotionPolicySelector;
    use serde_json::json;

    use super::{Labels, SelectorError, label_query, matches_policy};

    #[test]
    fn a_selector_is_written_as_the_api_reads_it() {
        let query = |selector| label_query(&serde_json::from_value(selector).unwrap());
        let selector = json!({
            "matchLabels": {"env": "prod"},
            "matchExpressions": [
                {"key": "team", "operator": "In", "values": ["a", "b"]},
                {"key": "tier", "operator": "NotIn", "values": ["x"]},
                {"key": "here", "operator": "Exists"},
                {"key": "gone", "operator": "DoesNotExist"},
            ],
        });
        assert_eq!(query(selector).unwrap(), "env=prod,team in (a,b),tier notin (x),here,!gone");
        let without_values = json!({"matchExpressions": [{"key": "team", "operator": "In"}]});
        assert!(query(without_values).is_err());
    }

    fn matches(selector: serde_json::Value) -> Result<bool, SelectorError> {
        let selector: PromotionPolicySelector = serde_json::from_value(selector).unwrap();
        let labels = Labels::from([("env".to_owned(), "prod".to_owned())]);
        matches_policy(&selector, "prod-eu", Some(&labels))
    }

    #[test]
    fn name_and_labels_must_both_match() {
        for (selector, expected) in [
            (json!({}), true),
            (json!({"name": "glob:prod-*"}), true),
            (json!({"name": "prod"}), false),
            (json!({"name": "regex:eu$", "matchLabels": {"env": "prod"}}), true),
            (json!({"name": "regex:eu$", "matchLabels": {"env": "test"}}), false),
            (
                json!({"matchExpressions": [{"key": "env", "operator": "In", "values": ["a"]}]}),
                false,
            ),
            (
                json!({"matchExpressions": [{"key": "x", "operator": "NotIn", "values": ["a"]}]}),
                true,
            ),
            (json!({"matchExpressions": [{"key": "x", "operator": "Exists"}]}), false),
            (json!({"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}), true),
        ] {
            assert_eq!(matches(selector.clone()), Ok(expected), "{selector}");
        }
    }

    #[test]
    fn a_selector_without_meaning_is_an_error_even_when_another_part_does_not_match() {
        for selector in [
            json!({"name": "glob:["}),
            json!({"name": "no", "matchExpressions": [{"key": "env", "operator": "Like"}]}),
            json!({"matchExpressions": [{"key": "env", "operator": "In"}]}),
            json!({"matchExpressions": [{"key": "env", "operator": "Exists", "values": ["a"]}]}),
            json!({"matchLabels": {"-env": "a"}}),
            json!({"matchLabels": {"Example.com/env": "a"}}),
            json!({"matchLabels": {"x": "not a value"}}),
        ] {
            assert!(matches(selector.clone()).is_err(), "{selector}");
        }
    }
}
