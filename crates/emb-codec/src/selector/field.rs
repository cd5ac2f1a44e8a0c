//! Selectors over fields: `metadata.name=a,status.phase!=Active`.

use std::{borrow::Cow, fmt};

use super::SelectorError;

/// How a term compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldOperator {
    /// `=` or `==`.
    Equals,
    /// `!=`.
    NotEquals,
}

/// One condition on one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldTerm {
    /// The field, as `metadata.name`; whether the kind supports it is not known here.
    pub field: String,
    /// The comparison.
    pub operator: FieldOperator,
    /// What the field is compared with, unescaped.
    pub value: String,
}

/// Conditions on fields that must all hold.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FieldSelector {
    terms: Vec<FieldTerm>,
}

impl FieldSelector {
    /// Reads the query form. An empty text selects everything.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let mut parts = split_terms(text);
        parts.sort_unstable();
        let mut terms = Vec::with_capacity(parts.len());
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let term = parse_term(text, part)?;
            // A lone operator compares nothing with nothing: it selects everything.
            if !(term.field.is_empty() && term.value.is_empty()) {
                terms.push(term);
            }
        }
        // `a==b` sorts after `a=c` as written, before it as displayed.
        terms.sort_by_cached_key(ToString::to_string);
        Ok(Self { terms })
    }

    /// The conditions, in canonical order.
    pub fn terms(&self) -> &[FieldTerm] {
        &self.terms
    }

    /// Whether every object is selected.
    pub fn is_everything(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value that the field must equal, if the selector says so.
    pub fn exact(&self, field: &str) -> Option<&str> {
        self.terms
            .iter()
            .find(|term| term.field == field && term.operator == FieldOperator::Equals)
            .map(|term| term.value.as_str())
    }

    /// Whether an object is selected whose fields `get` reads; a field that is not there reads as "".
    pub fn matches<'a>(&self, get: impl Fn(&str) -> Cow<'a, str>) -> bool {
        self.terms.iter().all(|term| {
            let equal = get(&term.field) == term.value;
            equal == (term.operator == FieldOperator::Equals)
        })
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, term) in self.terms.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            term.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for FieldTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operator = match self.operator {
            FieldOperator::Equals => "=",
            FieldOperator::NotEquals => "!=",
        };
        write!(f, "{}{operator}", self.field)?;
        for c in self.value.chars() {
            if matches!(c, '\\' | ',' | '=') {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        Ok(())
    }
}

/// Splits at commas that have no backslash before them.
fn split_terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    let is_separator = |c: char| {
        let separator = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        separator
    };
    text.split(is_separator).collect()
}

fn parse_term(selector: &str, term: &str) -> Result<FieldTerm, SelectorError> {
    let (field, operator, value) = split_term(term).ok_or_else(|| SelectorError::Term {
        selector: selector.to_owned(),
        term: term.to_owned(),
    })?;
    Ok(FieldTerm { field: field.to_owned(), operator, value: unescape(value)? })
}

/// The first operator splits a term: a field has no escapes.
fn split_term(term: &str) -> Option<(&str, FieldOperator, &str)> {
    let at = term.find('=')?;
    let (left, right) = term.split_at(at);
    let right = right.strip_prefix('=')?;
    if let Some(field) = left.strip_suffix('!') {
        return Some((field, FieldOperator::NotEquals, right));
    }
    Some((left, FieldOperator::Equals, right.strip_prefix('=').unwrap_or(right)))
}

fn unescape(value: &str) -> Result<String, SelectorError> {
    let mut plain = String::with_capacity(value.len());
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some(escaped @ ('\\' | ',' | '=')) => plain.push(escaped),
                Some(other) => return Err(SelectorError::Escape(format!("\\{other}"))),
                None => return Err(SelectorError::Escape("\\".to_owned())),
            },
            ',' | '=' => return Err(SelectorError::Unescaped(u32::from(c))),
            other => plain.push(other),
        }
    }
    Ok(plain)
}
