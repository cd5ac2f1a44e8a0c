//! Which objects a list, a watch or a webhook means: label selectors and field selectors.
//!
//! Both parse the query form, both display a canonical form that parses to the same selector.

mod field;
mod label;
mod lexer;
mod parser;
mod requirement;
mod syntax;

pub use field::{FieldOperator, FieldSelector, FieldTerm};
pub use label::LabelSelector;
pub use requirement::{Operator, Requirement};

/// A selector that cannot be read. Displays the message of the 400.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// A requirement of a label selector is wrong.
    #[error("unable to parse requirement: {0}")]
    Requirement(String),
    /// The text has something where it may not be.
    #[error("found '{found}', expected: {expected}")]
    Unexpected {
        /// The offending token.
        found: String,
        /// What may stand there.
        expected: &'static str,
    },
    /// A selector object (`matchLabels`, `matchExpressions`) is wrong.
    #[error("{0}")]
    Object(String),
    /// A term of a field selector has no operator.
    #[error("invalid selector: '{selector}'; can't understand '{term}'")]
    Term {
        /// The whole selector.
        selector: String,
        /// The term.
        term: String,
    },
    /// A field selector's value has a backslash before something that needs none.
    #[error("invalid field selector: invalid escape sequence: {0}")]
    Escape(String),
    /// A field selector's value has a bare `,` or `=`; the message names the character by number.
    #[error("invalid field selector: unescaped character in value: {0}")]
    Unescaped(u32),
}

#[cfg(test)]
mod tests;
