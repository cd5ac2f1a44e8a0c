//! What is wrong with one field: the causes of a 422.

use std::fmt;

use serde_json::Value;

/// Why a field was refused; decides the `reason` of the cause and the start of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldErrorKind {
    /// A value must be given.
    Required,
    /// The value breaks a rule.
    Invalid,
    /// The value has the wrong JSON type.
    TypeInvalid,
    /// The value is not one of those allowed.
    NotSupported,
    /// The value stands twice where it may stand once.
    Duplicate,
    /// The field or change is not allowed here.
    Forbidden,
    /// The value is too long.
    TooLong,
    /// The list has too many items.
    TooMany,
    /// The value refers to something that is not there.
    NotFound,
    /// Our own fault.
    Internal,
}

impl FieldErrorKind {
    /// The machine-readable `reason` of a cause.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::NotFound => "FieldValueNotFound",
            Self::Internal => "InternalError",
        }
    }
}

/// One refused field. Displays as `spec.color: Required value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Why.
    pub kind: FieldErrorKind,
    /// Where, as `spec.items[2].name`; `<nil>` where no field is to blame.
    pub field: String,
    /// The whole message without the field, for example `Required value`.
    pub message: String,
}

impl FieldError {
    /// `Required value` or `Required value: detail`.
    pub fn required(field: impl Into<String>, detail: &str) -> Self {
        Self::of(FieldErrorKind::Required, field, with_detail("Required value", detail))
    }

    /// `Invalid value: <json>: detail`.
    pub fn invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        let start = format!("Invalid value: {}", shown(value));
        Self::of(FieldErrorKind::Invalid, field, with_detail(&start, detail))
    }

    /// `Invalid value: <type>: detail`, for a value of the wrong JSON type.
    pub fn type_invalid(field: impl Into<String>, value: &Value, detail: &str) -> Self {
        let start = format!("Invalid value: {}", shown(value));
        Self::of(FieldErrorKind::TypeInvalid, field, with_detail(&start, detail))
    }

    /// `Unsupported value: <json>: supported values: "a", "b"`.
    pub fn not_supported<'a>(
        field: impl Into<String>,
        value: &Value,
        supported: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let list: Vec<String> = supported.into_iter().map(|choice| format!("{choice:?}")).collect();
        let start = format!("Unsupported value: {}", shown(value));
        let detail = if list.is_empty() {
            String::new()
        } else {
            format!("supported values: {}", list.join(", "))
        };
        Self::of(FieldErrorKind::NotSupported, field, with_detail(&start, &detail))
    }

    /// `Duplicate value: <json>`.
    pub fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        Self::of(FieldErrorKind::Duplicate, field, format!("Duplicate value: {}", shown(value)))
    }

    /// `Forbidden: detail`.
    pub fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self::of(FieldErrorKind::Forbidden, field, with_detail("Forbidden", detail))
    }

    /// `Too long: may not be more than N bytes`.
    pub fn too_long(field: impl Into<String>, limit: usize) -> Self {
        Self::of(
            FieldErrorKind::TooLong,
            field,
            format!("Too long: may not be more than {limit} bytes"),
        )
    }

    /// `Too many: N: must have at most M items`.
    pub fn too_many(field: impl Into<String>, actual: usize, limit: usize) -> Self {
        let items = if limit == 1 { "item" } else { "items" };
        Self::of(
            FieldErrorKind::TooMany,
            field,
            format!("Too many: {actual}: must have at most {limit} {items}"),
        )
    }

    /// `Not found: <json>`.
    pub fn not_found(field: impl Into<String>, value: &Value) -> Self {
        Self::of(FieldErrorKind::NotFound, field, format!("Not found: {}", shown(value)))
    }

    /// An error whose whole message the caller words.
    pub fn of(kind: FieldErrorKind, field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, field: field.into(), message: message.into() }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for FieldError {}

/// Builds the `spec.items[2].name` form on the way down a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(String);

impl FieldPath {
    /// The document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// A first segment, for example `spec`.
    pub fn new(segment: &str) -> Self {
        Self(segment.to_owned())
    }

    /// The member `name` of the object here.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        if self.0.is_empty() { Self(name.to_owned()) } else { Self(format!("{}.{name}", self.0)) }
    }

    /// The item at `index` of the list here.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    /// The entry `key` of the map here: `data[a b]`.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        Self(format!("{}[{key}]", self.0))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<FieldPath> for String {
    fn from(path: FieldPath) -> Self {
        path.0
    }
}

impl From<&FieldPath> for String {
    fn from(path: &FieldPath) -> Self {
        path.0.clone()
    }
}

fn with_detail(start: &str, detail: &str) -> String {
    if detail.is_empty() { start.to_owned() } else { format!("{start}: {detail}") }
}

/// A value as messages show it; long ones are cut, because they come from users and end in logs.
fn shown(value: &Value) -> String {
    const LIMIT: usize = 1024;
    let text = value.to_string();
    match text.char_indices().nth(LIMIT) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_follow_the_wire_format() {
        let path = FieldPath::new("spec").child("items").index(1);
        assert_eq!(FieldError::required(&path, "").to_string(), "spec.items[1]: Required value");
        assert_eq!(
            FieldError::not_supported("spec.color", &json!("pink"), ["red", "green"]).message,
            "Unsupported value: \"pink\": supported values: \"red\", \"green\""
        );
        assert_eq!(
            FieldError::too_many("spec.items", 4, 3).message,
            "Too many: 4: must have at most 3 items"
        );
        assert_eq!(
            FieldError::invalid("spec.count", &json!(101), "too big").message,
            "Invalid value: 101: too big"
        );
    }

    #[test]
    fn long_values_are_cut() {
        let error = FieldError::duplicate("spec.tags[1]", &json!("é".repeat(5000)));
        assert!(error.message.len() < 2200, "{}", error.message.len());
    }
}
