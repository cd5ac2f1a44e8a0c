//! Globs over slash-separated names.
//!
//! `*` and `?` stay within one component, `**` as a whole component stands for any number of them,
//! `[a-z]`, `[^a]` and `[!a]` are classes, `{a,b}` are alternatives that may nest and be empty, a
//! backslash takes the next character literally. The whole name must match.

mod matcher;
mod validate;

/// The longest text that is read as a glob.
pub const MAX_GLOB_BYTES: usize = 1024;

/// The largest number of `{…}` in one glob; each multiplies the work of a match.
pub const MAX_GLOB_ALTERNATIONS: usize = 32;

/// Why a text is not a glob.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// A class or an alternation is not closed, a class is empty, or nothing follows a backslash.
    #[error("syntax error in pattern")]
    Syntax,
    /// The text is longer than [`MAX_GLOB_BYTES`].
    #[error("glob is longer than {MAX_GLOB_BYTES} bytes")]
    TooLong,
    /// There are more than [`MAX_GLOB_ALTERNATIONS`] alternations.
    #[error("glob has more than {MAX_GLOB_ALTERNATIONS} alternations")]
    TooManyAlternations,
}

/// A valid glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    source: String,
    pattern: Vec<char>,
}

impl Glob {
    /// Reads a glob.
    pub fn parse(source: &str) -> Result<Self, GlobError> {
        if source.len() > MAX_GLOB_BYTES {
            return Err(GlobError::TooLong);
        }
        if source.matches('{').count() > MAX_GLOB_ALTERNATIONS {
            return Err(GlobError::TooManyAlternations);
        }
        let pattern: Vec<char> = source.chars().collect();
        if !validate::is_valid(&pattern) {
            return Err(GlobError::Syntax);
        }
        Ok(Self { source: source.to_owned(), pattern })
    }

    /// Whether the glob matches all of `name`.
    ///
    /// The work is bounded: a glob and a name built to need millions of steps do not match.
    pub fn matches(&self, name: &str) -> bool {
        matcher::matches(&self.pattern, name)
    }

    /// The glob as written.
    pub fn as_str(&self) -> &str {
        &self.source
    }
}

#[cfg(test)]
mod tests;
