//! Violations of a schema in plain words, with the place they are at.

use jsonschema::{JsonType, ValidationError, error::TypeKind, error::ValidationErrorKind as Kind};
use serde_json::Value;

/// What one violation means, one line for each place it is about.
pub(super) fn tell(schema: &Value, error: &ValidationError<'_>) -> Vec<String> {
    let place = place(error.instance_path().as_str());
    match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let lines = unexpected.iter().map(|name| at(&member(&place, name), "unknown field"));
            lines.collect()
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![at(&member(&place, name), "is required")]
        }
        Kind::OneOfNotValid { context } | Kind::AnyOf { context } => {
            vec![at(&place, &none_fits(schema, error, context))]
        }
        Kind::OneOfMultipleValid { .. } => vec![at(&place, &several_fit(schema, error))],
        kind => vec![at(&place, &simple(kind, error))],
    }
}

/// Whether a violation may go away when the values below its place change. Names of members do not.
pub(super) fn is_about_shape(kind: &Kind) -> bool {
    !matches!(
        kind,
        Kind::AdditionalProperties { .. }
            | Kind::UnevaluatedProperties { .. }
            | Kind::Required { .. }
    )
}

fn simple(kind: &Kind, error: &ValidationError<'_>) -> String {
    match kind {
        Kind::Type { kind } => wrong_type(kind, error.instance()),
        Kind::MinLength { limit: 1 } | Kind::MinItems { limit: 1 } => {
            "must not be empty".to_owned()
        }
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::MinItems { limit } => format!("must have at least {limit} items"),
        Kind::MaxItems { limit } => format!("must have at most {limit} items"),
        Kind::MinProperties { limit: 1 } => "must have at least one member".to_owned(),
        Kind::MinProperties { limit } => format!("must have at least {limit} members"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} members"),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::Enum { options } => format!("must be one of {}", choices(options)),
        Kind::Constant { expected_value } => format!("must be {expected_value}"),
        Kind::Pattern { pattern } => format!("must match the pattern {pattern}"),
        Kind::Format { format } if format == "uri" => {
            "must be an address with a scheme, for example https://example.com/path".to_owned()
        }
        Kind::Format { format } if format == "email" => {
            "must be an email address, for example somebody@example.com".to_owned()
        }
        Kind::UniqueItems => "must not hold an item twice".to_owned(),
        Kind::Not { .. } | Kind::FalseSchema => "is not allowed here".to_owned(),
        // The crate's own words quote the value, which may be long.
        _ => error.masked().to_string(),
    }
}

fn wrong_type(wanted: &TypeKind, found: &Value) -> String {
    let wanted: Vec<&str> = match wanted {
        TypeKind::Single(kind) => vec![noun(*kind)],
        TypeKind::Multiple(kinds) => kinds.iter().map(noun).collect(),
    };
    format!("must be {}, not {}", wanted.join(" or "), noun(JsonType::from(found)))
}

fn noun(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a text",
    }
}

fn choices(options: &Value) -> String {
    let texts = options.as_array().into_iter().flatten().map(Value::to_string);
    texts.collect::<Vec<_>>().join(", ")
}

/// None of several forms fits: which fields choose between them, else what each form lacks.
fn none_fits(
    schema: &Value,
    error: &ValidationError<'_>,
    context: &[Vec<ValidationError<'static>>],
) -> String {
    let fields = choosing_fields(schema, error);
    let is_about_presence = |error: &ValidationError<'_>| {
        matches!(error.kind(), Kind::Required { .. } | Kind::Enum { .. } | Kind::Constant { .. })
    };
    if !fields.is_empty() && context.iter().flatten().all(is_about_presence) {
        return format!("exactly one of {} must be set", fields.join(", "));
    }
    let forms = context.iter().map(|errors| {
        let lines: Vec<String> = errors.iter().flat_map(|error| tell(schema, error)).collect();
        lines.join(" and ")
    });
    let mut forms: Vec<String> = forms.filter(|form| !form.is_empty()).collect();
    forms.dedup();
    match forms.as_slice() {
        [only] => only.clone(),
        _ => format!("fits no allowed form: either {}", forms.join(", or ")),
    }
}

fn several_fit(schema: &Value, error: &ValidationError<'_>) -> String {
    let fields = choosing_fields(schema, error);
    if fields.is_empty() {
        return "fits several forms that exclude each other".to_owned();
    }
    format!("exactly one of {} must be set", fields.join(", "))
}

/// The fields that the forms of a choice require.
fn choosing_fields<'a>(schema: &'a Value, error: &ValidationError<'_>) -> Vec<&'a str> {
    let forms = schema.pointer(error.schema_path().as_str()).and_then(Value::as_array);
    let required = forms.into_iter().flatten().filter_map(|form| form.get("required")?.as_array());
    let mut fields: Vec<&str> = required.flatten().filter_map(Value::as_str).collect();
    let mut seen = Vec::new();
    fields.retain(|field| {
        !seen.contains(field) && {
            seen.push(field);
            true
        }
    });
    fields
}

/// `/apps/0/name` as people write it: `apps[0].name`.
fn place(pointer: &str) -> String {
    pointer.split('/').skip(1).fold(String::new(), |place, segment| {
        let name = segment.replace("~1", "/").replace("~0", "~");
        match name.parse::<usize>() {
            Ok(index) => format!("{place}[{index}]"),
            Err(_) => member(&place, &name),
        }
    })
}

fn member(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

fn at(place: &str, what: &str) -> String {
    if place.is_empty() { what.to_owned() } else { format!("{place}: {what}") }
}
