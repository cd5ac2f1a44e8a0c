//! What is wrong with one field, in the words of the wire format.

use std::fmt;

use serde_json::Value;

/// The longest value that is repeated in a message; values come from users and end in logs.
const MAX_SHOWN_CHARACTERS: usize = 1024;

/// How a field is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldErrorKind {
    /// The value breaks a rule.
    Invalid,
    /// The value is missing.
    Required,
    /// The value occurs twice.
    Duplicate,
    /// The value is not in the list of those allowed.
    NotSupported,
    /// There may be no value here.
    Forbidden,
}

impl FieldErrorKind {
    /// The reason as causes carry it.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Invalid => "FieldValueInvalid",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
        }
    }
}

/// One field that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// How it is wrong.
    pub kind: FieldErrorKind,
    /// Where it is, for example `spec.subscriptions[0].git.repoURL`.
    pub field: String,
    /// The message without the field.
    pub message: String,
}

impl FieldError {
    /// `Invalid value: <json>: detail`.
    pub fn invalid(field: impl Into<String>, value: impl Into<Value>, detail: &str) -> Self {
        let message = format!("Invalid value: {}: {detail}", shown(&value.into()));
        Self { kind: FieldErrorKind::Invalid, field: field.into(), message }
    }

    /// `Required value: detail`.
    pub fn required(field: impl Into<String>, detail: &str) -> Self {
        let message = format!("Required value: {detail}");
        Self { kind: FieldErrorKind::Required, field: field.into(), message }
    }

    /// `Duplicate value: <json>`.
    pub fn duplicate(field: impl Into<String>, value: impl Into<Value>) -> Self {
        let message = format!("Duplicate value: {}", shown(&value.into()));
        Self { kind: FieldErrorKind::Duplicate, field: field.into(), message }
    }

    /// `Unsupported value: <json>: supported values: "a", "b"`.
    pub fn not_supported(field: impl Into<String>, value: &str, supported: &[&str]) -> Self {
        let list: Vec<String> = supported.iter().map(|word| format!("{word:?}")).collect();
        let value = shown(&Value::from(value));
        let message = format!("Unsupported value: {value}: supported values: {}", list.join(", "));
        Self { kind: FieldErrorKind::NotSupported, field: field.into(), message }
    }

    /// `Forbidden: detail`.
    pub fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        let message = format!("Forbidden: {detail}");
        Self { kind: FieldErrorKind::Forbidden, field: field.into(), message }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::FieldError;

    #[test]
    fn messages_have_the_form_of_the_wire() {
        let messages = [
            FieldError::invalid("spec.a", "x", "must be y").to_string(),
            FieldError::required("spec.a", "say something").to_string(),
            FieldError::duplicate("spec.a", "x").to_string(),
            FieldError::not_supported("spec.a", "x", &["y", "z"]).to_string(),
            FieldError::forbidden("spec.a", "not here").to_string(),
        ];
        assert_eq!(
            messages,
            [
                r#"spec.a: Invalid value: "x": must be y"#,
                "spec.a: Required value: say something",
                r#"spec.a: Duplicate value: "x""#,
                r#"spec.a: Unsupported value: "x": supported values: "y", "z""#,
                "spec.a: Forbidden: not here",
            ]
        );
    }

    #[test]
    fn long_values_are_cut() {
        let error = FieldError::invalid("spec.a", "é".repeat(5_000), "too long");
        assert!(error.message.len() < 2_200);
    }
}
