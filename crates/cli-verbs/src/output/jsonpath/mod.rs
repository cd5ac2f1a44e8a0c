//! Templates of JSONPath as `kubectl` has them: text with `{paths}` in it, and `{range}` … `{end}`.

mod evaluate;
mod parse;
mod print;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub(crate) use parse::ParseError;

/// A template that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Template {
    nodes: Vec<Node>,
}

/// Whether a field that is not there is a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    Allowed,
    Refused,
}

/// Why a template has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EvaluateError {
    #[error("{0} is not found")]
    NotFound(String),
    #[error("array index out of bounds: index {0}, length {1}")]
    OutOfBounds(i64, usize),
    #[error("{0}")]
    Unfit(&'static str),
    #[error("the template yields more than can be shown")]
    TooLarge,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Text(String),
    Path(Vec<Step>),
    Range(Vec<Step>, Vec<Self>),
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Root,
    Current,
    Field(String),
    Wildcard,
    Recursive,
    Slice(Slice),
    Union(Vec<Self>),
    Filter(Box<Filter>),
}

/// Items of an array; one index is a slice of one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Slice {
    from: Option<i64>,
    to: Option<i64>,
    step: i64,
    /// Whether it must exist.
    is_index: bool,
}

/// What an item must be like.
#[derive(Clone, Debug, PartialEq)]
enum Filter {
    Exists(Operand),
    Compare(Operand, Operator, Operand),
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Path(Vec<Step>),
    Literal(Value),
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

impl Template {
    /// Reads a template.
    pub(crate) fn parse(text: &str) -> Result<Self, ParseError> {
        Ok(Self { nodes: parse::parse(text)? })
    }

    /// The text that the template makes of a document.
    pub(crate) fn render(
        &self,
        document: &Value,
        missing: Missing,
    ) -> Result<String, EvaluateError> {
        print::render(&self.nodes, document, missing)
    }

    /// All values that the template finds in a document.
    pub(crate) fn find(
        &self,
        document: &Value,
        missing: Missing,
    ) -> Result<Vec<Value>, EvaluateError> {
        print::find(&self.nodes, document, missing)
    }
}
