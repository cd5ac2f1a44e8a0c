//! Range constraints: alternatives (`||`) of groups whose comparators must all hold.

mod comparator;
mod parse;

use std::fmt;

use self::comparator::Comparator;
use crate::version::Version;

/// The longest text that is read as a constraint.
pub const MAX_CONSTRAINT_BYTES: usize = 512;

/// The largest number of alternatives in one constraint.
pub const MAX_OR_GROUPS: usize = 32;

/// Why a text is not a constraint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConstraintError {
    /// The text is longer than [`MAX_CONSTRAINT_BYTES`].
    #[error("constraint string is too long (max {MAX_CONSTRAINT_BYTES} bytes)")]
    TooLong,
    /// There are more than [`MAX_OR_GROUPS`] alternatives.
    #[error("too many constraint groups (max {MAX_OR_GROUPS})")]
    TooManyGroups,
    /// A group or comparator is malformed.
    #[error("improper constraint: {text:?}")]
    Improper {
        /// The part that could not be read.
        text: String,
    },
}

/// A parsed constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    alternatives: Vec<Group>,
}

/// Comparators that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    comparators: Vec<Comparator>,
}

impl Constraint {
    /// Reads a constraint. An empty text is an error: callers treat an empty field as "none".
    pub fn parse(text: &str) -> Result<Self, ConstraintError> {
        parse::parse(text)
    }

    /// Whether `version` satisfies at least one alternative.
    pub fn matches(&self, version: &Version) -> bool {
        self.alternatives.iter().any(|group| group.matches(version))
    }
}

/// The canonical form: operators as written, single spaces, hyphen ranges spelled out.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, group) in self.alternatives.iter().enumerate() {
            if index > 0 {
                f.write_str(" || ")?;
            }
            write!(f, "{group}")?;
        }
        Ok(())
    }
}

impl Group {
    /// One comparator that names a pre-release opens the whole group to pre-releases.
    fn considers_prereleases(&self) -> bool {
        self.comparators.iter().any(Comparator::names_prerelease)
    }

    fn matches(&self, version: &Version) -> bool {
        if version.is_prerelease() && !self.considers_prereleases() {
            return false;
        }
        self.comparators.iter().all(|comparator| comparator.matches(version))
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, comparator) in self.comparators.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{comparator}")?;
        }
        Ok(())
    }
}
