//! Whether collections hold values, and texts hold texts or match patterns.

use core_pattern::UserRegex;

use crate::ast::Binary;
use crate::builtin::elements;
use crate::error::Trouble;
use crate::limits::Budget;
use crate::text::Text;
use crate::value::{Data, Value, equal};

/// What a dynamic regular expression costs in steps, beside its length.
const REGEX_STEPS: usize = 2_000;

/// Whether a collection holds a value.
pub(super) fn contains(
    collection: &Value,
    needle: &Value,
    budget: &mut Budget,
) -> Result<bool, Trouble> {
    match &collection.data {
        Data::Nil | Data::Absent(_) => Ok(false),
        Data::List(_) | Data::Bytes(_) => {
            let items = elements(collection)?;
            budget.steps(items.len())?;
            budget.scan(collection.weight())?;
            Ok(items.iter().any(|item| equal(item, needle)))
        }
        Data::Map(map) => match &needle.data {
            Data::Text(key) => Ok(map.entries.contains_key(key)),
            Data::Nil => Ok(map.entries.contains_key(&b""[..])),
            _ => Err(wrong_key(needle)),
        },
        Data::Pairs(pairs) => Ok(pairs.entries.iter().any(|(key, _)| equal(key, needle))),
        Data::Object(object) => match needle.as_text() {
            Some(name) => Ok(object.get(name.as_bytes()).is_some()),
            None => Err(wrong_key(needle)),
        },
        _ => {
            let name = collection.type_name();
            Err(Trouble::Invalid(format!("operator \"in\" not defined on {name}")))
        }
    }
}

fn wrong_key(key: &Value) -> Trouble {
    Trouble::Invalid(format!("cannot use {} as a key", key.type_name()))
}

/// A list of text literals holds texts only; nothing counts as an empty text.
pub(super) fn in_texts(needle: &Value, texts: &Value) -> Result<bool, Trouble> {
    let key = match &needle.data {
        Data::Text(key) => key.clone(),
        Data::Nil => Text::from(""),
        _ => return Err(wrong_key(needle)),
    };
    Ok(elements(texts)?.iter().any(|item| item.as_text() == Some(&key)))
}

/// `contains`, `startsWith` and `endsWith`; nothing holds nothing.
pub(super) fn compare_texts(
    operator: Binary,
    left: &Value,
    right: &Value,
    budget: &mut Budget,
) -> Result<bool, Trouble> {
    if left.is_nil() || right.is_nil() {
        return Ok(false);
    }
    let (Some(text), Some(part)) = (left.as_text(), right.as_text()) else {
        let (symbol, left, right) = (operator.symbol(), left.type_name(), right.type_name());
        return Err(Trouble::Invalid(format!("invalid operation: {left} {symbol} {right}")));
    };
    budget.scan(text.len())?;
    let (text, part) = (text.as_bytes(), part.as_bytes());
    Ok(match operator {
        Binary::Contains => memchr::memmem::find(text, part).is_some(),
        Binary::StartsWith => text.starts_with(part),
        _ => text.ends_with(part),
    })
}

/// Whether a text matches a pattern that was read in advance.
pub(super) fn matches(
    text: &Value,
    regex: &UserRegex,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    let is_match = match &text.data {
        _ if text.is_nil() => false,
        Data::Text(text) | Data::Bytes(text) => {
            budget.scan(text.len().saturating_mul(4))?;
            regex.is_match(&text.to_str())
        }
        _ => {
            let name = text.type_name();
            return Err(Trouble::Invalid(format!("invalid operation: {name} matches string")));
        }
    };
    Ok(Data::Bool(is_match).into())
}

/// Whether a text matches a pattern that is only known now.
pub(super) fn matches_dynamic(
    text: &Value,
    pattern: &Value,
    budget: &mut Budget,
) -> Result<Value, Trouble> {
    if text.is_nil() || pattern.is_nil() {
        return Ok(Data::Bool(false).into());
    }
    let Some(source) = pattern.as_text() else {
        let name = pattern.type_name();
        return Err(Trouble::Invalid(format!("{name} is not a regular expression")));
    };
    budget.steps(REGEX_STEPS + source.len())?;
    let regex = UserRegex::parse(&source.to_str()).map_err(|error| {
        let trouble = Trouble::Invalid(error.to_string());
        if pattern.is_tainted() { trouble.without_content("matches") } else { trouble }
    })?;
    matches(text, &regex, budget)
}
