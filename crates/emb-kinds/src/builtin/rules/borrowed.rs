//! Rules that other places set for texts of the same form: label keys and values, DNS names.

use emb_meta::{FieldError, NameRule, validate};
use serde_json::{Value, json};

const DNS_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// What is wrong with `text` as a qualified name, the form of label keys and finalizers.
pub(crate) fn check_qualified_name(field: impl Into<String>, text: &str) -> Option<FieldError> {
    first_problem(field, &json!({"metadata": {"name": "x", "finalizers": [text]}}))
}

/// What is wrong with `text` as the value of a label.
pub(crate) fn check_label_value(field: impl Into<String>, text: &str) -> Option<FieldError> {
    first_problem(field, &json!({"metadata": {"name": "x", "labels": {"x": text}}}))
}

/// What is wrong with `text` as a DNS-1035 label, the form of resource names and versions.
pub(crate) fn check_dns_1035_label(text: &str) -> Option<String> {
    if text.len() > 63 {
        return Some("must be no more than 63 bytes".to_owned());
    }
    let begins_with_letter = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let sound = begins_with_letter && NameRule::DnsLabel.check(text).is_none();
    (!sound).then(|| DNS_1035.to_owned())
}

/// The rules for keys and values live with the metadata rules; a made-up object asks them.
fn first_problem(field: impl Into<String>, probe: &Value) -> Option<FieldError> {
    let error = validate::check_create(probe, NameRule::DnsSubdomain).into_iter().next()?;
    Some(FieldError { field: field.into(), ..error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_follow_the_rules_of_metadata() {
        assert_eq!(check_qualified_name("f", "a.b/c"), None);
        let error = check_qualified_name("f", "a b").unwrap();
        assert!(
            error.to_string().starts_with("f: Invalid value: \"a b\": name part must"),
            "{error}"
        );
        assert_eq!(check_label_value("f", ""), None);
        assert!(check_label_value("f", "b c").unwrap().message.contains("a valid label must be"));
    }

    #[test]
    fn dns_1035_labels_begin_with_a_letter() {
        assert_eq!(check_dns_1035_label("v1-a"), None);
        for bad in ["", "1a", "V1", "a b", "a.b", "a-", &"a".repeat(64)] {
            assert!(check_dns_1035_label(bad).is_some(), "{bad}");
        }
    }
}
