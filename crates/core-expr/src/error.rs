//! What can go wrong, and where in the source text.

use std::ops::Range;

use crate::promotion::Request;

/// In which phase an expression or template failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text is not an expression, or its types cannot fit.
    Compile,
    /// The expression failed on the values it met.
    Run,
    /// An opening delimiter has no closing one.
    Unclosed,
    /// A limit on size, depth, steps or memory was reached.
    Limit,
    /// What should be a JSON document is none, or its environment is not acceptable.
    Document,
}

/// Why an expression or template has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The phase that failed.
    pub kind: ErrorKind,
    /// The part of the source text it is about, in bytes.
    pub range: Range<usize>,
    /// One sentence.
    pub message: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, range: Range<usize>, message: impl Into<String>) -> Self {
        Self { kind, range, message: message.into() }
    }

    /// The same error when the source text begins at `offset` of a longer one.
    pub(crate) fn moved(mut self, offset: usize) -> Self {
        self.range = self.range.start + offset..self.range.end + offset;
        self
    }

    /// Line and column of the error in its source text, both from 1; columns count characters.
    pub fn position(&self, source: &str) -> (usize, usize) {
        let end = source.floor_char_boundary(self.range.start);
        let before = source.get(..end).unwrap_or(source);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before.get(line_start..).unwrap_or_default().chars().count() + 1)
    }
}

/// Why a run ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The expression failed.
    #[error(transparent)]
    Invalid(#[from] Error),
    /// The expression asks for something from outside. Fetch it, add the answer, and run again.
    #[error("needs {0}")]
    Needs(Request),
}

impl Failure {
    pub(crate) fn moved(self, offset: usize) -> Self {
        match self {
            Self::Invalid(error) => Self::Invalid(error.moved(offset)),
            needs @ Self::Needs(_) => needs,
        }
    }

    /// The error of an expression that cannot ask for anything.
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Invalid(error) => error,
            Self::Needs(request) => {
                Error::new(ErrorKind::Run, 0..0, format!("{request} is not available here"))
            }
        }
    }
}

/// Why an operation failed, before it is known where in the source text.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    /// The values do not fit.
    Invalid(String),
    /// A limit was reached.
    Limit(&'static str),
    /// Something from outside is needed.
    Needs(Request),
}

impl Trouble {
    pub(crate) fn at(self, range: Range<usize>) -> Failure {
        match self {
            Self::Invalid(message) => Error::new(ErrorKind::Run, range, message).into(),
            Self::Limit(message) => Error::new(ErrorKind::Limit, range, message).into(),
            Self::Needs(request) => Failure::Needs(request),
        }
    }
}

impl Trouble {
    /// The same trouble without anything in its message that may be content of a Secret.
    pub(crate) fn without_content(self, name: &str) -> Self {
        match self {
            Self::Invalid(_) => {
                Self::Invalid(format!("{name} cannot be applied to this content of a Secret"))
            }
            other => other,
        }
    }
}

impl From<String> for Trouble {
    fn from(message: String) -> Self {
        Self::Invalid(message)
    }
}

impl From<&str> for Trouble {
    fn from(message: &str) -> Self {
        Self::Invalid(message.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_counts_lines_and_characters() {
        let error = Error::new(ErrorKind::Run, 8..9, "x");
        assert_eq!(error.position("ab\nöäxyz"), (2, 4));
        assert_eq!(Error::new(ErrorKind::Run, 99..99, "x").position("ab"), (1, 3));
    }
}
