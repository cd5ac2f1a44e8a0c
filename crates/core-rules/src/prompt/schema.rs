//! The JSON Schema of values that a step asks for.

use std::fmt;

use jsonschema::{Draft, PatternOptions, Validator, error::ValidationErrorKind as Kind};
use serde_json::{Map, Value, json};

/// More violations than a form has room for are left out.
const MAX_VIOLATIONS: usize = 50;

/// A schema that was compiled.
#[derive(Debug)]
pub struct InputSchema {
    validator: Validator,
}

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaProblem {
    /// It allows other values than objects.
    #[error("its type must be object")]
    NotAnObject,
    /// It is of a draft that forms do not know.
    #[error("{0:?} is not JSON Schema draft 4, 6 or 7")]
    Draft(String),
    /// It is no schema.
    #[error("{0}")]
    Invalid(String),
}

/// What is wrong at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The place, as a JSON pointer.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

impl Violation {
    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({"pointer": self.pointer, "message": self.message})
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => f.write_str(&self.message),
            pointer => write!(f, "{pointer}: {}", self.message),
        }
    }
}

impl InputSchema {
    /// Compiles a schema of an object. It is taken alone: nothing is fetched that it refers to. Patterns take time
    /// that grows with the text and no faster, since anybody may write the text.
    pub fn compile(schema: &Value) -> Result<Self, SchemaProblem> {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(SchemaProblem::NotAnObject);
        }
        let validator = jsonschema::options()
            .with_draft(draft(schema)?)
            .with_pattern_options(PatternOptions::regex())
            .should_validate_formats(true)
            .offline()
            .build(schema)
            .map_err(|error| SchemaProblem::Invalid(error.to_string()))?;
        Ok(Self { validator })
    }

    /// Everything that is wrong with the values, place by place.
    pub fn check(&self, values: &Map<String, Value>) -> Vec<Violation> {
        let values = Value::Object(values.clone());
        if self.validator.is_valid(&values) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for error in self.validator.iter_errors(&values) {
            let place = error.instance_path().as_str();
            match error.kind() {
                Kind::Required { property } => {
                    let property = property.as_str().unwrap_or_default();
                    found.push(violation(place, Some(property), "is required"));
                }
                Kind::AdditionalProperties { unexpected } => {
                    let unknown = unexpected.iter();
                    found.extend(unknown.map(|name| violation(place, Some(name), "is unknown")));
                }
                // The crate's own words quote the value, which may be long.
                _ => found.push(violation(place, None, &error.masked().to_string())),
            }
        }
        found.truncate(MAX_VIOLATIONS);
        found
    }
}

fn violation(place: &str, member: Option<&str>, message: &str) -> Violation {
    let member = member.map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1")));
    let pointer = format!("{place}{}", member.unwrap_or_default());
    Violation { pointer, message: message.to_owned() }
}

fn draft(schema: &Value) -> Result<Draft, SchemaProblem> {
    let Some(named) = schema.get("$schema").and_then(Value::as_str) else {
        return Ok(Draft::Draft7);
    };
    let known =
        [("draft-04", Draft::Draft4), ("draft-06", Draft::Draft6), ("draft-07", Draft::Draft7)];
    let found = known.into_iter().find(|(name, _)| {
        named.trim_end_matches('#').ends_with(&format!("json-schema.org/{name}/schema"))
    });
    found.map(|(_, draft)| draft).ok_or_else(|| SchemaProblem::Draft(named.to_owned()))
}
