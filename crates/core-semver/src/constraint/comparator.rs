//! One comparator: an operator and a possibly partial version.

use std::fmt;

use crate::precedence::compare_prereleases;
use crate::version::Version;

/// What a comparator asks of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Tilde,
    Caret,
}

/// How much of the version was written; the rest is a wildcard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// `*`
    Nothing,
    /// `1` or `1.x`
    Major,
    /// `1.2` or `1.2.x`
    Minor,
    /// `1.2.3`
    Patch,
}

/// An operator with its bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comparator {
    pub(super) relation: Relation,
    /// The operator as written; several spellings mean the same.
    pub(super) operator: &'static str,
    /// The version as written.
    pub(super) written: String,
    /// The written version with wildcards as zeros.
    pub(super) bound: Version,
    pub(super) precision: Precision,
}

impl Comparator {
    pub(super) fn names_prerelease(&self) -> bool {
        self.bound.is_prerelease()
    }

    /// Whether `version` satisfies this comparator; the group has already decided on pre-releases.
    pub(super) fn matches(&self, version: &Version) -> bool {
        let order = version.compare_precedence(&self.bound);
        match self.relation {
            Relation::Equal if self.precision == Precision::Patch => order.is_eq(),
            Relation::Equal | Relation::Tilde => order.is_ge() && self.is_within_tilde(version),
            Relation::NotEqual => self.is_different_from(version),
            Relation::Greater => self.is_exceeded_by(version),
            Relation::GreaterOrEqual => order.is_ge(),
            Relation::Less => order.is_lt(),
            Relation::LessOrEqual => self.is_not_exceeded_by(version),
            Relation::Caret => order.is_ge() && self.is_within_caret(version),
        }
    }

    fn is_different_from(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Nothing | Precision::Patch => !version.has_precedence_of(&self.bound),
            Precision::Major => version.major() != self.bound.major(),
            Precision::Minor => {
                pair(version) != pair(&self.bound)
                    || compare_prereleases(version.prerelease(), self.bound.prerelease()).is_ne()
            }
        }
    }

    /// A partial bound is exceeded only by what lies behind all it covers: `>1.2` starts at 1.3.0.
    fn is_exceeded_by(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Nothing | Precision::Patch => {
                version.compare_precedence(&self.bound).is_gt()
            }
            Precision::Major => version.major() > self.bound.major(),
            Precision::Minor => pair(version) > pair(&self.bound),
        }
    }

    fn is_not_exceeded_by(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Patch => version.compare_precedence(&self.bound).is_le(),
            Precision::Major => version.major() <= self.bound.major(),
            Precision::Nothing | Precision::Minor => pair(version) <= pair(&self.bound),
        }
    }

    /// Upper end of `~`: the same minor, or the same major when no minor was written. `~0.0.0` and
    /// `~*` have no upper end.
    fn is_within_tilde(&self, version: &Version) -> bool {
        let is_zero = (pair(&self.bound), self.bound.patch()) == ((0, 0), 0);
        match self.precision {
            Precision::Nothing | Precision::Patch if is_zero => true,
            Precision::Major => version.major() == self.bound.major(),
            _ => pair(version) == pair(&self.bound),
        }
    }

    /// Upper end of `^`: the leftmost written number that is not zero must stay.
    fn is_within_caret(&self, version: &Version) -> bool {
        if self.bound.major() > 0 || self.precision == Precision::Major {
            return version.major() == self.bound.major();
        }
        if self.bound.minor() > 0 || self.precision == Precision::Minor {
            return pair(version) == pair(&self.bound);
        }
        pair(version) == (0, 0) && version.patch() == self.bound.patch()
    }
}

impl fmt::Display for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.operator, self.written)
    }
}

fn pair(version: &Version) -> (u64, u64) {
    (version.major(), version.minor())
}
