//! TOML files: scalars replaced in place, documents read.

mod data;
mod locate;

use std::fmt::Write as _;

use toml_edit::{Document, Value};

use self::locate::locate;
use crate::{
    EditError, KeyPath, MAX_BYTES, Scalar,
    splice::{Splice, splice},
};

pub use data::{Data, parse};

/// Sets values in a text. Every key must lead to a scalar that is there; when two lead to the same one, the later
/// value counts. An error leaves nothing half done.
pub fn update(text: &str, updates: &[(KeyPath, Scalar)]) -> Result<String, EditError> {
    let document = read(text)?;
    let mut splices = Vec::new();
    for (path, scalar) in updates {
        let replaced = locate(document.as_table(), path)?;
        let span = replaced.span().ok_or_else(|| path.not_found("it has no place in the file"))?;
        let source = text.get(span.clone()).unwrap_or_default();
        splices.push(Splice::new(span, written(scalar, replaced, source)));
    }
    Ok(splice(text, splices))
}

fn read(text: &str) -> Result<Document<&str>, EditError> {
    if text.len() > MAX_BYTES {
        return Err(EditError::TooLarge);
    }
    Document::parse(text).map_err(|error| EditError::Syntax {
        format: "TOML",
        reason: error.to_string().trim_end().replace('\n', " "),
    })
}

/// A new value in the message of a commit.
pub fn message_text(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(text) => quoted(text, false),
        Scalar::Number(number) => integer(&crate::text::number(number)),
        other => other.literal().unwrap_or_default(),
    }
}

/// The scalar as it is written in place of another: texts keep the kind of quotes, floats stay floats.
fn written(scalar: &Scalar, replaced: &Value, source: &str) -> String {
    match scalar {
        Scalar::Text(text) => quoted(text, source.starts_with('"')),
        Scalar::Number(_) if replaced.is_float() => {
            let number = message_text(scalar);
            if number.contains('.') { number } else { format!("{number}.0") }
        }
        _ => message_text(scalar),
    }
}

/// A whole number that is too large for an integer of TOML becomes a float.
fn integer(number: &str) -> String {
    if number.contains('.') || number.parse::<i64>().is_ok() {
        number.to_owned()
    } else {
        format!("{number}.0")
    }
}

/// A text in single quotes where they do and double ones are not kept.
fn quoted(text: &str, is_basic: bool) -> String {
    let is_literal = !is_basic && !text.contains(|c: char| c == '\'' || c.is_control());
    if is_literal {
        return format!("'{text}'");
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\u{8}' => quoted.push_str("\\b"),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\u{c}' => quoted.push_str("\\f"),
            '\r' => quoted.push_str("\\r"),
            other if other.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(other));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests;
