//! Comparisons that say what was got and what was wanted.

use std::fmt::Display;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Both must be equal; `what` names the thing.
pub(crate) fn equal<T: PartialEq + std::fmt::Debug>(
    what: impl Display,
    got: &T,
    want: &T,
) -> Result<()> {
    ensure!(got == want, "{what}: got {got:?}, want {want:?}");
    Ok(())
}

/// The value at a JSON pointer must be `want`; `Value::Null` also stands for absent.
pub(crate) fn at(object: &Value, pointer: &str, want: impl Into<Value>) -> Result<()> {
    let got = object.pointer(pointer).unwrap_or(&Value::Null);
    let want = want.into();
    ensure!(*got == want, "{pointer}: got {got}, want {want}, in {object}");
    Ok(())
}

/// The text at a JSON pointer, which must be there and not empty.
pub(crate) fn text<'a>(object: &'a Value, pointer: &str) -> Result<&'a str> {
    object
        .pointer(pointer)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
        .with_context(|| format!("{pointer}: no text in {object}"))
}

/// The resourceVersion of an object or list.
pub(crate) fn revision(object: &Value) -> Result<u64> {
    text(object, "/metadata/resourceVersion")?
        .parse()
        .with_context(|| format!("resourceVersion is no number in {object}"))
}

/// The text must match the pattern as a whole.
pub(crate) fn matches(what: impl Display, got: &str, pattern: &str) -> Result<()> {
    let whole = regex::Regex::new(&format!("^(?:{pattern})$"))?;
    ensure!(whole.is_match(got), "{what}: got {got:?}, want a match of {pattern}");
    Ok(())
}

/// The object without what the server adds to each write, to compare two that were written alike.
pub(crate) fn as_written(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
            metadata.remove(field);
        }
    }
    object
}
