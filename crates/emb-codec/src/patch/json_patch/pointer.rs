//! JSON pointers, RFC 6901.

use std::fmt;

use serde_json::Value;

use super::Failure;

/// A path into a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    tokens: Vec<Token>,
}

/// One step of a path: a member name or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token(String);

impl Pointer {
    /// Reads `/a/b~1c/0`; the empty text is the whole document.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        if text.is_empty() {
            return Ok(Self { tokens: Vec::new() });
        }
        let steps = text.strip_prefix('/').ok_or(Failure::Operation("path"))?;
        let tokens = steps.split('/').map(|step| Token(step.replace("~1", "/").replace("~0", "~")));
        Ok(Self { tokens: tokens.collect() })
    }

    pub(super) fn is_root(&self) -> bool {
        self.tokens.is_empty()
    }

    /// How many levels down the path leads.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The value here, if there is one.
    pub(super) fn find<'v>(&self, target: &'v Value) -> Option<&'v Value> {
        self.tokens.iter().try_fold(target, |at, token| token.step(at))
    }

    /// Whether the value that holds this place is there and could hold it.
    pub(super) fn has_parent(&self, target: &Value) -> bool {
        let Some((_, parents)) = self.tokens.split_last() else { return false };
        parents.iter().try_fold(target, |at, token| token.step(at)).is_some_and(Value::is_object)
    }

    /// The object or list that holds this place, and the last step; nothing holds the document itself.
    pub(super) fn find_parent<'v>(&self, target: &'v mut Value) -> Option<(&'v mut Value, &Token)> {
        let (last, parents) = self.tokens.split_last()?;
        let parent = parents.iter().try_fold(target, |at, token| token.step_mut(at))?;
        Some((parent, last))
    }

    pub(super) fn missing(&self) -> Failure {
        Failure::Missing(self.to_string())
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tokens.iter().try_for_each(|token| write!(f, "/{}", token.0))
    }
}

impl Token {
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// The index meant in a list of `length` items; negative ones count from the end.
    pub(super) fn index(&self, length: usize) -> Option<usize> {
        let index: isize = self.0.parse().ok()?;
        let index = match usize::try_from(index) {
            Ok(index) => index,
            Err(_) => length.checked_sub(index.unsigned_abs())?,
        };
        (index < length).then_some(index)
    }

    fn step<'v>(&self, at: &'v Value) -> Option<&'v Value> {
        match at {
            Value::Object(members) => members.get(&self.0),
            Value::Array(items) => items.get(self.index(items.len())?),
            _ => None,
        }
    }

    fn step_mut<'v>(&self, at: &'v mut Value) -> Option<&'v mut Value> {
        match at {
            Value::Object(members) => members.get_mut(&self.0),
            Value::Array(items) => {
                let index = self.index(items.len())?;
                items.get_mut(index)
            }
            _ => None,
        }
    }
}
