//! JSON files: values set by paths, all other formatting kept.
//!
//! Paths are those of the sjson library, which users of upstream write. Missing keys are made, lists grow; a query
//! that finds nothing changes nothing.

mod path;
mod query;
mod tree;

use serde_json::Value;

use self::{
    path::{Index, Part, Path},
    tree::{Content, Node},
};
use crate::{
    EditError, MAX_BYTES, Scalar,
    splice::{Splice, splice},
};

/// The highest index up to which a list is filled with nulls.
const MAX_INDEX: usize = 65_535;

/// Reads a document.
pub fn parse(text: &str) -> Result<Value, EditError> {
    if text.len() > MAX_BYTES {
        return Err(EditError::TooLarge);
    }
    serde_json::from_str(text)
        .map_err(|error| EditError::Syntax { format: "JSON", reason: error.to_string() })
}

/// Sets values one after the other. An error leaves nothing half done.
pub fn update(text: &str, updates: &[(String, Scalar)]) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for (key, scalar) in updates {
        text = set(&text, key, scalar)?;
    }
    Ok(text)
}

/// A new value in the message of a commit: as in the file.
pub fn message_text(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Text(text) => quoted(text),
        other => other.literal().unwrap_or_default(),
    }
}

fn set(text: &str, key: &str, scalar: &Scalar) -> Result<String, EditError> {
    let root = tree::read(text)?;
    let written = message_text(scalar);
    match (Path::parse(key), &root) {
        (Path::Direct(parts), None) => {
            Ok(format!("{}{}", text.trim_end(), container(key, &parts, &written)?))
        }
        (Path::Direct(parts), Some(root)) => {
            Ok(splice(text, vec![place(key, root, &parts, &written)?]))
        }
        (Path::Query(_), None) => Ok(text.to_owned()),
        (Path::Query(query), Some(root)) => {
            let found = query::find(text, root, query).into_iter();
            Ok(splice(text, found.map(|range| Splice::new(range, written.as_str())).collect()))
        }
    }
}

/// Where the value goes, and what is made around it when it has no place yet.
fn place(key: &str, node: &Node, parts: &[Part], written: &str) -> Result<Splice, EditError> {
    let Some((part, rest)) = parts.split_first() else {
        return Ok(Splice::new(node.span.clone(), written));
    };
    match &node.content {
        Content::Object { members, needs_comma } => {
            match members.iter().find(|(name, _)| *name == part.name) {
                Some((_, value)) => place(key, value, rest, written),
                None => Ok(append(node, *needs_comma, &member(key, part, rest, written)?)),
            }
        }
        Content::Array { items, needs_comma } => {
            match part.index().and_then(|index| items.get(index)) {
                Some(item) => place(key, item, rest, written),
                None => grow(key, node, items.len(), *needs_comma, parts, written),
            }
        }
        Content::Scalar => Ok(Splice::new(node.span.clone(), container(key, parts, written)?)),
    }
}

/// A further item of a list, behind as many nulls as its index asks for.
fn grow(
    key: &str,
    list: &Node,
    length: usize,
    needs_comma: bool,
    parts: &[Part],
    written: &str,
) -> Result<Splice, EditError> {
    let not_found = |reason: String| EditError::NotFound { key: key.to_owned(), reason };
    let Some((part, rest)) = parts.split_first() else { return Err(not_found(String::new())) };
    let index = part
        .new_index()
        .ok_or_else(|| not_found(format!("{:?} is no index, and a list is there", part.name)))?;
    let nulls = match index {
        Index::Next => 0,
        Index::At(index) => index.saturating_sub(length),
    };
    let inner = inner(key, rest, written)?;
    Ok(append(list, needs_comma, &format!("{}{inner}", nulls_before(key, nulls)?)))
}

/// Puts text before the closing bracket.
fn append(node: &Node, needs_comma: bool, text: &str) -> Splice {
    let at = node.span.end.saturating_sub(1);
    Splice::new(at..at, format!("{}{text}", if needs_comma { "," } else { "" }))
}

fn member(key: &str, part: &Part, rest: &[Part], written: &str) -> Result<String, EditError> {
    Ok(format!("{}:{}", quoted(&part.name), inner(key, rest, written)?))
}

/// What stands behind a key or in a list that is made: the value, or more of the path.
fn inner(key: &str, parts: &[Part], written: &str) -> Result<String, EditError> {
    if parts.is_empty() { Ok(written.to_owned()) } else { container(key, parts, written) }
}

/// A new list or object for the first part of a path, and what is in it.
fn container(key: &str, parts: &[Part], written: &str) -> Result<String, EditError> {
    let Some((last, before)) = parts.split_last() else { return Ok(written.to_owned()) };
    if before.len() > crate::MAX_DEPTH {
        return Err(EditError::TooDeep);
    }
    let mut text = wrap(key, last, written)?;
    for part in before.iter().rev() {
        text = wrap(key, part, &text)?;
    }
    Ok(text)
}

fn wrap(key: &str, part: &Part, inner: &str) -> Result<String, EditError> {
    Ok(match part.new_index() {
        Some(Index::Next) => format!("[{inner}]"),
        Some(Index::At(index)) => format!("[{}{inner}]", nulls_before(key, index)?),
        None => format!("{{{}:{inner}}}", quoted(&part.name)),
    })
}

fn nulls_before(key: &str, count: usize) -> Result<String, EditError> {
    if count > MAX_INDEX {
        let reason = format!("a list is filled up to index {MAX_INDEX} at most");
        return Err(EditError::NotFound { key: key.to_owned(), reason });
    }
    Ok("null,".repeat(count))
}

/// A text in quotes. As in upstream's files, a text that needs an escape or has other characters than ASCII is also
/// made safe to stand in HTML.
fn quoted(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    let is_simple =
        text.bytes().all(|byte| (b' '..0x7f).contains(&byte) && !matches!(byte, b'"' | b'\\'));
    if is_simple {
        return quoted;
    }
    let mut safe = String::with_capacity(quoted.len());
    for character in quoted.chars() {
        match character {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            '\u{2028}' => safe.push_str("\\u2028"),
            '\u{2029}' => safe.push_str("\\u2029"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests;
