//! Where in an answer the result is: JSONPath in the dialect of kubectl, `{$.data[0].value}`.
//!
//! One path in braces. Fields may be written `.name`, `['name']` or with escaped dots; lists take
//! an index from either end, a range with a step, `*` and filters such as `[?(@.name == "x")]`;
//! `..` looks at all depths. Of several results the first counts. Braces may be left out.

mod find;
mod parse;
#[cfg(test)]
mod tests;

use serde_json::Value;

/// The longest path.
const MAX_BYTES: usize = 4 * 1024;
/// How many steps a path may have, those in its filters included.
const MAX_STEPS: usize = 100;
/// How many values a path may lead to on the way.
const MAX_VALUES: usize = 100_000;

/// Why a path leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonPathError {
    /// The text is not a path.
    #[error("invalid JSONPath: {0}")]
    Syntax(&'static str),
    /// A field that is not there.
    #[error("{0} is not found")]
    NotFound(String),
    /// A list is not that long.
    #[error("array index out of bounds: index {index}, length {length}")]
    OutOfBounds {
        /// The index that was asked for.
        index: i64,
        /// How many items there are.
        length: usize,
    },
    /// An index of what has none.
    #[error("a value that is no array has no index")]
    NoArray,
    /// The path leads to more values than anybody looks at.
    #[error("the path leads to more than {MAX_VALUES} values")]
    TooMany,
}

/// A path that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// `$`: back to the whole.
    Root,
    Field(String),
    /// `.*` and `[*]`.
    Every,
    /// `..`: the value and all beneath it.
    Descend,
    Slice(Slice),
    /// `['a','b']` and `[0,2]`.
    Union(Vec<Self>),
    Filter(Box<Filter>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Slice {
    Index(i64),
    Range { from: Option<i64>, to: Option<i64>, step: i64 },
}

/// `[?(left operator right)]`; without an operator, whether the left side exists.
#[derive(Clone, Debug, PartialEq)]
struct Filter {
    left: Operand,
    comparison: Option<(Operator, Operand)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Path(Vec<Step>),
    Literal(Value),
}

impl JsonPath {
    /// Reads a path; an empty text is the path to the whole.
    pub fn parse(text: &str) -> Result<Self, JsonPathError> {
        Ok(Self { steps: parse::path(text)? })
    }

    /// The first value that the path leads to, or `None` when it may lead to none and does.
    pub fn first<'a>(&self, document: &'a Value) -> Result<Option<&'a Value>, JsonPathError> {
        let found = find::follow(&self.steps, document, document)?;
        Ok(found.into_iter().next())
    }
}
