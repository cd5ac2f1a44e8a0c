//! Regular expressions written by users, in upstream's dialect (RE2 as Go reads it).
//!
//! The engine below differs where it hurts: its `\w`, `\d`, `\s` and `\b` know all of Unicode, it
//! has set operations in classes and no `\Q…\E`. Each expression is therefore translated before it
//! is compiled, and the compiled size is bounded.

mod class;
mod dialect;
mod escape;

use regex::{Regex, RegexBuilder};

/// The longest text that is read as a regular expression.
pub const MAX_REGEX_BYTES: usize = 8 * 1024;

/// The memory one compiled expression may take.
const MAX_COMPILED_BYTES: usize = 1024 * 1024;

/// Why a text is not a regular expression.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RegexError {
    /// The text is longer than [`MAX_REGEX_BYTES`].
    #[error("error parsing regexp: longer than {MAX_REGEX_BYTES} bytes")]
    TooLong,
    /// The dialect does not know this.
    #[error("error parsing regexp: {problem}: `{at}`")]
    Syntax {
        /// What is wrong, in upstream's words.
        problem: &'static str,
        /// The part of the expression it is about.
        at: String,
    },
    /// The engine refuses the expression, most often because it grows too large.
    #[error("error parsing regexp: {0}")]
    Compile(String),
}

/// A compiled expression; it matches anywhere in a text unless it is anchored.
#[derive(Clone, Debug)]
pub struct UserRegex {
    source: String,
    compiled: Regex,
}

impl UserRegex {
    /// Reads an expression.
    pub fn parse(source: &str) -> Result<Self, RegexError> {
        if source.len() > MAX_REGEX_BYTES {
            return Err(RegexError::TooLong);
        }
        let compiled = RegexBuilder::new(&dialect::translate(source)?)
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_COMPILED_BYTES)
            .build()
            .map_err(|error| RegexError::Compile(last_line(&error.to_string())))?;
        Ok(Self { source: source.to_owned(), compiled })
    }

    /// Whether the expression matches somewhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled.is_match(text)
    }

    /// Every part of `text` that the expression matches, from left to right, without overlap.
    pub fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        self.compiled.find_iter(text).map(|found| found.as_str())
    }

    /// The expression as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }
}

/// The engine draws its error over several lines; the last one says what is wrong.
fn last_line(text: &str) -> String {
    let line = text.lines().last().unwrap_or(text);
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests;
