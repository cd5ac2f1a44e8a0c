//! A pattern with a prefix that names its kind: `glob:`, `regex:` or `regexp:`, else literal.

use std::fmt;

use crate::glob::{Glob, GlobError};
use crate::slash_path;
use crate::user_regex::{RegexError, UserRegex};

/// Why a pattern cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PatternError {
    /// The text after `glob:` is malformed.
    #[error(transparent)]
    Glob(#[from] GlobError),
    /// The text after `regex:` or `regexp:` is malformed.
    #[error(transparent)]
    Regex(#[from] RegexError),
}

/// Selects names; without a prefix the name must be equal.
#[derive(Clone, Debug)]
pub struct NamePattern(Kind);

/// Selects paths; without a prefix the pattern is a file or directory and selects what is within.
#[derive(Clone, Debug)]
pub struct PathPattern(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Literal(String),
    Glob(Glob),
    Regex(UserRegex),
}

impl NamePattern {
    /// Reads a pattern.
    pub fn parse(pattern: &str) -> Result<Self, PatternError> {
        Kind::parse(pattern).map(Self)
    }

    /// Whether the pattern selects `name`.
    pub fn matches(&self, name: &str) -> bool {
        self.0.matches(name, |literal, name| literal == name)
    }
}

impl PathPattern {
    /// Reads a pattern.
    pub fn parse(pattern: &str) -> Result<Self, PatternError> {
        Kind::parse(pattern).map(Self)
    }

    /// Whether the pattern selects `path`.
    pub fn matches(&self, path: &str) -> bool {
        self.0.matches(path, slash_path::is_within)
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Kind {
    fn parse(pattern: &str) -> Result<Self, PatternError> {
        if let Some(glob) = pattern.strip_prefix("glob:") {
            return Ok(Self::Glob(Glob::parse(glob)?));
        }
        let regex = pattern.strip_prefix("regex:").or_else(|| pattern.strip_prefix("regexp:"));
        Ok(match regex {
            Some(regex) => Self::Regex(UserRegex::parse(regex)?),
            None => Self::Literal(pattern.to_owned()),
        })
    }

    fn matches(&self, subject: &str, matches_literal: impl Fn(&str, &str) -> bool) -> bool {
        match self {
            Self::Literal(literal) => matches_literal(literal, subject),
            Self::Glob(glob) => glob.matches(subject),
            Self::Regex(regex) => regex.is_match(subject),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(literal) => f.write_str(literal),
            Self::Glob(glob) => write!(f, "glob:{}", glob.as_str()),
            Self::Regex(regex) => write!(f, "regex:{}", regex.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NamePattern, PathPattern};

    #[test]
    fn the_prefix_decides_and_is_case_sensitive() {
        let name = |pattern: &str, subject| NamePattern::parse(pattern).unwrap().matches(subject);
        assert!(name("prod", "prod"));
        assert!(!name("prod", "prod-eu"));
        assert!(name("glob:prod-*", "prod-eu"));
        assert!(name("regex:od", "prod"));
        assert!(name("regexp:^prod$", "prod"));
        assert!(!name("Glob:prod-*", "prod-eu"));
    }

    #[test]
    fn a_path_without_prefix_is_a_base_directory() {
        let path = |pattern: &str, subject| PathPattern::parse(pattern).unwrap().matches(subject);
        assert!(path("configs", "configs/dev/x"));
        assert!(!path("configs", "configurations/x"));
        assert!(!path("path2/*.tpl", "path2/a.tpl"));
        assert!(path("regex:app", "happy"));
    }

    #[test]
    fn malformed_patterns_are_refused() {
        for pattern in ["glob:[", "glob:{a", "regex:(", "regexp:a{2,1}"] {
            assert!(NamePattern::parse(pattern).is_err(), "{pattern}");
        }
    }
}
