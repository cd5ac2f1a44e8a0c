//! From the body of a request to objects.
//!
//! A body is a JSON array, or a stream of YAML documents and JSON objects in any mixture. Lists are
//! taken apart. Size, depth, number and what aliases repeat are bounded; either everything is read
//! or nothing is.

use serde_json::{Map, Value};

use super::object::Resource;
use crate::fault::{Class, Fault};

/// How many objects a request may have.
pub const MAX_OBJECTS: usize = 5_000;

/// A body that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// There is nothing in it.
    #[error("no resources found in request body")]
    Empty,
    /// It is no text.
    #[error("the request body is not UTF-8")]
    Encoding,
    /// The array cannot be read.
    #[error("the request body is not a JSON array of objects")]
    Array(#[source] serde_json::Error),
    /// A document cannot be read.
    #[error("document {number} of the request body cannot be read")]
    Document {
        /// Which one, counted from one.
        number: usize,
        /// Why.
        source: core_edit::EditError,
    },
    /// A value is no object.
    #[error("resource {number} of the request body is not an object")]
    NotAnObject {
        /// Which one, counted from one.
        number: usize,
    },
    /// An object does not say what it is.
    #[error("resource {number} of the request body has no kind")]
    NoKind {
        /// Which one, counted from one.
        number: usize,
    },
    /// There are too many.
    #[error("the request body has more than {MAX_OBJECTS} resources")]
    TooMany,
}

impl Fault for ParseError {
    fn class(&self) -> Class {
        Class::BadRequest
    }
}

/// Reads the objects of a body.
pub fn parse(body: &[u8]) -> Result<Vec<Resource>, ParseError> {
    let text = std::str::from_utf8(body).map_err(|_| ParseError::Encoding)?;
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader { resources: Vec::new(), values: 0 };
    if text.trim_start().starts_with('[') {
        let values: Vec<Value> = serde_json::from_str(text).map_err(ParseError::Array)?;
        values.into_iter().try_for_each(|value| reader.take(value))?;
    } else {
        for (index, document) in documents(text).enumerate() {
            for value in values(document, index + 1)? {
                // A document without content is a separator too many, not a mistake.
                if !value.is_null() {
                    reader.take(value)?;
                }
            }
        }
    }
    if reader.resources.is_empty() { Err(ParseError::Empty) } else { Ok(reader.resources) }
}

struct Reader {
    resources: Vec<Resource>,
    /// How many values were taken, lists and their items included.
    values: usize,
}

impl Reader {
    fn take(&mut self, value: Value) -> Result<(), ParseError> {
        self.values += 1;
        let number = self.values;
        if number > MAX_OBJECTS {
            return Err(ParseError::TooMany);
        }
        let Value::Object(mut object) = value else {
            return Err(ParseError::NotAnObject { number });
        };
        if let Some(items) = items(&mut object) {
            return items.into_iter().try_for_each(|item| self.take(item));
        }
        self.resources.push(Resource::new(object).ok_or(ParseError::NoKind { number })?);
        Ok(())
    }
}

/// The items of a list; `None` when the object is none.
fn items(object: &mut Map<String, Value>) -> Option<Vec<Value>> {
    let is_list = object.get("kind").and_then(Value::as_str) == Some("List");
    match object.get_mut("items") {
        Some(Value::Array(items)) if is_list => Some(std::mem::take(items)),
        _ => None,
    }
}

/// The values of one document: many when it consists of JSON objects, else one.
fn values(document: &str, number: usize) -> Result<Vec<Value>, ParseError> {
    let document = without_separator(document);
    if document.trim_start().starts_with('{') {
        let stream = serde_json::Deserializer::from_str(document).into_iter::<Value>();
        let read: Result<Vec<Value>, _> = stream.take(MAX_OBJECTS + 1).collect();
        // What is no JSON may still be YAML in its short form.
        if let Ok(values) = read {
            return Ok(values);
        }
    }
    if is_blank(document) {
        return Ok(Vec::new());
    }
    let value = core_edit::yaml::parse(document);
    value.map(|value| vec![value]).map_err(|source| ParseError::Document { number, source })
}

/// The document without the dashes before it: JSON has none.
fn without_separator(document: &str) -> &str {
    let first = document.lines().next().unwrap_or_default();
    if is_separator(first) { document.trim_start_matches('-') } else { document }
}

/// Whether there is nothing but comments and directives.
fn is_blank(document: &str) -> bool {
    document.lines().all(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with(['#', '%'])
    })
}

/// The documents of a stream. A line of three dashes begins one, a line of three dots ends one.
fn documents(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some((end, next)) = boundary(text) else { return Some(text) };
        rest = text.get(next..);
        text.get(..end)
    })
}

/// Where the first document ends and where the next begins.
fn boundary(text: &str) -> Option<(usize, usize)> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        match line.trim_end() {
            "..." => return Some((start, end)),
            marker if start > 0 && is_separator(marker) => return Some((start, start)),
            _ => start = end,
        }
    }
    None
}

fn is_separator(line: &str) -> bool {
    let rest = line.strip_prefix("---");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}
