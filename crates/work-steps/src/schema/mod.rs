//! What configurations of steps must look like: schemas made from the Rust types, and what is told to
//! the user about a configuration that does not fit.
//!
//! Formats are held to what upstream checks: an address of a person as mail programs read it, an address
//! of a thing as Go's URL parser reads it. Patterns are found anywhere in a text unless they are anchored.

mod document;
mod format;
mod wanted;
mod words;

use std::fmt;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

pub use self::document::{document, file_name};
use crate::step::AnyStep;

/// More violations than this are counted only.
const SHOWN_VIOLATIONS: usize = 50;

/// The schema of a kind of step, compiled once.
pub struct ConfigSchema {
    document: Value,
    validator: Validator,
}

/// A schema that cannot be compiled: a mistake in the Rust type, found by the tests of the catalogue.
#[derive(Debug, thiserror::Error)]
#[error("the schema of {kind} cannot be compiled: {reason}")]
pub struct BadSchema {
    kind: &'static str,
    reason: String,
}

/// All that is wrong with a configuration, one line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations(Vec<String>);

impl ConfigSchema {
    /// Compiles the schema of a step.
    pub fn of(step: &dyn AnyStep) -> Result<Self, BadSchema> {
        let document = step.schema().to_value();
        let validator = jsonschema::options()
            .with_pattern_options(PatternOptions::regex())
            .should_validate_formats(true)
            .with_format("email", format::is_email)
            .with_format("uri", format::is_uri)
            .build(&document)
            .map_err(|error| BadSchema { kind: step.kind(), reason: error.to_string() })?;
        Ok(Self { document, validator })
    }

    /// Says everything that is wrong with a configuration.
    pub fn check(&self, config: &Value) -> Result<(), Violations> {
        if self.validator.is_valid(config) {
            return Ok(());
        }
        let errors = self.validator.iter_errors(config);
        Err(Violations(errors.flat_map(|error| words::tell(&self.document, &error)).collect()))
    }

    /// Says what is wrong with a configuration before its templates are rendered: places whose value
    /// is not known yet are left out.
    pub fn check_unrendered(&self, config: &Value) -> Vec<String> {
        let errors = self.validator.iter_errors(config);
        let known = errors.filter(|error| {
            let at = config.pointer(error.instance_path().as_str()).unwrap_or(config);
            !(words::is_about_shape(error.kind()) && holds_template(at))
        });
        known.flat_map(|error| words::tell(&self.document, &error)).collect()
    }

    /// Whether the schema wants text at this place and nothing that looks like text would do as well.
    /// Places are members and, in lists, positions.
    pub fn wants_text(&self, place: &[String]) -> bool {
        wanted::wants_text(&self.document, place)
    }
}

/// Whether a value, or anything in it, is still to be rendered.
fn holds_template(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            core_expr::Template::parse(text).is_ok_and(|found| !found.is_literal())
        }
        Value::Array(items) => items.iter().any(holds_template),
        Value::Object(members) => members.values().any(holds_template),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl Violations {
    /// One line per violation.
    pub fn lines(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<&str> = self.0.iter().take(SHOWN_VIOLATIONS).map(String::as_str).collect();
        f.write_str(&shown.join("\n"))?;
        match self.0.len().saturating_sub(SHOWN_VIOLATIONS) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

#[cfg(test)]
mod files;
#[cfg(test)]
mod tests;
