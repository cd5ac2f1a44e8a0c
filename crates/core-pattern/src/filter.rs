//! Filters made of several patterns: paths of a commit, tags of a repository.

use crate::pattern::{PathPattern, PatternError};
use crate::user_regex::{RegexError, UserRegex};

/// The largest number of patterns in one list of a filter.
pub const MAX_FILTER_PATTERNS: usize = 1000;

const TAG_REF_PREFIX: &str = "refs/tags/";

/// Why a path filter cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PathFilterError {
    /// A pattern is malformed.
    #[error("error parsing {list} path selectors: parse error path selector {pattern:?}")]
    Pattern {
        /// `include` or `exclude`.
        list: &'static str,
        /// The pattern as written.
        pattern: String,
        /// What is wrong with it.
        source: PatternError,
    },
    /// A list is longer than [`MAX_FILTER_PATTERNS`].
    #[error("error parsing {list} path selectors: more than {MAX_FILTER_PATTERNS} patterns")]
    TooMany {
        /// `include` or `exclude`.
        list: &'static str,
    },
}

/// Why a tag filter cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TagFilterError {
    /// A regular expression is malformed.
    #[error("error parsing {list} tags regex {pattern:?}")]
    Regex {
        /// `allow` or `ignore`.
        list: &'static str,
        /// The expression as written.
        pattern: String,
        /// What is wrong with it.
        source: RegexError,
    },
    /// A list is longer than [`MAX_FILTER_PATTERNS`].
    #[error("more than {MAX_FILTER_PATTERNS} {list} tags regexes")]
    TooMany {
        /// `allow` or `ignore`.
        list: &'static str,
    },
}

/// Decides by the changed paths whether a commit is of interest.
#[derive(Clone, Debug, Default)]
pub struct PathFilter {
    include: Vec<PathPattern>,
    exclude: Vec<PathPattern>,
}

impl PathFilter {
    /// Reads the patterns of both lists.
    pub fn parse<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Result<Self, PathFilterError> {
        Ok(Self {
            include: parse_paths("include", include)?,
            exclude: parse_paths("exclude", exclude)?,
        })
    }

    /// Whether no pattern is given, so that a caller need not know the changed paths at all.
    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Whether any path is included (no patterns include all) and not excluded.
    pub fn accepts_any<S: AsRef<str>>(&self, paths: &[S]) -> bool {
        paths.iter().any(|path| self.accepts(path.as_ref()))
    }

    fn accepts(&self, path: &str) -> bool {
        let is_included =
            self.include.is_empty() || self.include.iter().any(|pattern| pattern.matches(path));
        is_included && !self.exclude.iter().any(|pattern| pattern.matches(path))
    }
}

/// Why a filter does not accept a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagRefusal<'a> {
    /// This expression ignores it.
    Ignored(&'a str),
    /// There are expressions that allow tags, and none allows this one.
    NotAllowed,
}

/// Decides by its name whether a tag is a candidate.
#[derive(Clone, Debug, Default)]
pub struct TagFilter {
    allow: Vec<UserRegex>,
    ignore: Vec<UserRegex>,
}

impl TagFilter {
    /// Reads the regular expressions of both lists.
    pub fn parse<S: AsRef<str>>(allow: &[S], ignore: &[S]) -> Result<Self, TagFilterError> {
        Ok(Self { allow: parse_regexes("allow", allow)?, ignore: parse_regexes("ignore", ignore)? })
    }

    /// Whether the tag is allowed (no expressions allow all) and not ignored; ignoring wins.
    pub fn accepts(&self, tag: &str) -> bool {
        self.check(tag).is_ok()
    }

    /// Like [`TagFilter::accepts`], with the reason when it is not.
    pub fn check(&self, tag: &str) -> Result<(), TagRefusal<'_>> {
        if let Some(regex) = self.ignore.iter().find(|regex| regex.is_match(tag)) {
            return Err(TagRefusal::Ignored(regex.as_str()));
        }
        let is_allowed =
            self.allow.is_empty() || self.allow.iter().any(|regex| regex.is_match(tag));
        if is_allowed { Ok(()) } else { Err(TagRefusal::NotAllowed) }
    }

    /// Like [`TagFilter::accepts`] for a Git reference: one leading `refs/tags/` is not looked at.
    pub fn accepts_ref(&self, reference: &str) -> bool {
        self.accepts(reference.strip_prefix(TAG_REF_PREFIX).unwrap_or(reference))
    }
}

fn parse_paths<S: AsRef<str>>(
    list: &'static str,
    patterns: &[S],
) -> Result<Vec<PathPattern>, PathFilterError> {
    if patterns.len() > MAX_FILTER_PATTERNS {
        return Err(PathFilterError::TooMany { list });
    }
    let parse = |pattern: &S| {
        let pattern = pattern.as_ref();
        PathPattern::parse(pattern).map_err(|source| PathFilterError::Pattern {
            list,
            pattern: pattern.to_owned(),
            source,
        })
    };
    patterns.iter().map(parse).collect()
}

fn parse_regexes<S: AsRef<str>>(
    list: &'static str,
    patterns: &[S],
) -> Result<Vec<UserRegex>, TagFilterError> {
    if patterns.len() > MAX_FILTER_PATTERNS {
        return Err(TagFilterError::TooMany { list });
    }
    let parse = |pattern: &S| {
        let pattern = pattern.as_ref();
        UserRegex::parse(pattern).map_err(|source| TagFilterError::Regex {
            list,
            pattern: pattern.to_owned(),
            source,
        })
    };
    patterns.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::{MAX_FILTER_PATTERNS, PathFilter, TagFilter, TagRefusal};

    #[test]
    fn one_included_path_that_is_not_excluded_is_enough() {
        let filter = PathFilter::parse(&["apps"], &["glob:**/*.md"]).unwrap();
        assert!(filter.accepts_any(&["apps/README.md", "apps/x.yaml"]));
        assert!(!filter.accepts_any(&["apps/README.md", "docs/x.yaml"]));
    }

    #[test]
    fn a_commit_without_paths_is_never_accepted() {
        assert!(!PathFilter::default().accepts_any::<&str>(&[]));
    }

    #[test]
    fn ignoring_a_tag_wins_over_allowing_it() {
        let filter = TagFilter::parse(&["^v"], &["-rc"]).unwrap();
        assert!(filter.accepts("v1.0.0"));
        assert!(!filter.accepts("v1.0.0-rc.1"));
        assert_eq!(filter.check("v1.0.0-rc.1"), Err(TagRefusal::Ignored("-rc")));
        assert_eq!(filter.check("1.0.0"), Err(TagRefusal::NotAllowed));
        assert!(!filter.accepts("refs/tags/v1.0.0"));
        assert!(filter.accepts_ref("refs/tags/v1.0.0"));
    }

    #[test]
    fn the_number_of_patterns_is_bounded() {
        let patterns = vec!["a"; MAX_FILTER_PATTERNS + 1];
        assert!(PathFilter::parse(&patterns, &[]).is_err());
        assert!(TagFilter::parse(&[], &patterns).is_err());
    }
}
