//! What became of each candidate, and why.

use std::fmt;

/// What became of one candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was discovered.
    Selected,
    /// It was passed over.
    Rejected(Rejection),
}

/// Why a candidate was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// An expression of `ignoreTagsRegexes` matches.
    Ignored {
        /// The expression.
        regex: String,
    },
    /// No expression of `allowTagsRegexes` matches.
    NotAllowed,
    /// It is not the tag that is followed.
    OtherTag {
        /// The tag that is.
        followed: String,
    },
    /// It cannot be read as a version.
    NotAVersion,
    /// It could be read as a version, but only full versions count.
    NotAFullVersion,
    /// The version does not satisfy the constraint.
    ConstraintNotSatisfied {
        /// The constraint as written.
        constraint: String,
    },
    /// The image is not built for the platform.
    PlatformNotOffered {
        /// The platform that is asked for, as written.
        platform: String,
    },
    /// The expression is not true for it.
    ExpressionFalse,
    /// No changed path counts.
    PathsNotTouched,
    /// It is older than what is asked for.
    TooOld {
        /// The earliest time that counts.
        since: jiff::Timestamp,
    },
    /// The tag points to something else than a commit.
    NotACommit,
    /// It was listed and then was not there.
    Missing,
    /// It is there, but cannot be read.
    Unreadable {
        /// What is wrong with it.
        problem: String,
    },
    /// Enough better ones were found.
    BeyondLimit {
        /// How many are asked for.
        limit: usize,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selected => f.write_str("selected"),
            Self::Rejected(rejection) => rejection.fmt(f),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ignored { regex } => write!(f, "ignored by regex {regex:?}"),
            Self::NotAllowed => f.write_str("matches no regex of allowTagsRegexes"),
            Self::OtherTag { followed } => write!(f, "not the tag {followed:?}"),
            Self::NotAVersion => f.write_str("not a version"),
            Self::NotAFullVersion => {
                f.write_str("not a full version, which strictSemvers asks for")
            }
            Self::ConstraintNotSatisfied { constraint } => {
                write!(f, "constraint {constraint} not satisfied")
            }
            Self::PlatformNotOffered { platform } => write!(f, "platform {platform} not offered"),
            Self::ExpressionFalse => f.write_str("expressionFilter is false"),
            Self::PathsNotTouched => {
                f.write_str("no changed path passes includePaths and excludePaths")
            }
            Self::TooOld { since } => write!(f, "older than {since}"),
            Self::NotACommit => f.write_str("does not point to a commit"),
            Self::Missing => f.write_str("no longer there"),
            Self::Unreadable { problem } => write!(f, "cannot be read: {problem}"),
            Self::BeyondLimit { limit } => write!(f, "beyond the limit of {limit}"),
        }
    }
}

/// The verdicts of one search, as many as are asked for: a long history has more candidates than
/// anybody reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    entries: Vec<(String, Verdict)>,
    room: usize,
    left_off: usize,
}

impl Verdicts {
    /// Nobody wants to know.
    pub fn none() -> Self {
        Self::default()
    }

    /// The first `count` are kept, the others only counted.
    pub fn up_to(count: usize) -> Self {
        Self { room: count, ..Self::default() }
    }

    /// Candidates and what became of them, in the order in which it was decided.
    pub fn entries(&self) -> &[(String, Verdict)] {
        &self.entries
    }

    /// How many more there were.
    pub fn left_off(&self) -> usize {
        self.left_off
    }

    pub(super) fn select(&mut self, candidate: &str) {
        self.put(candidate, || Verdict::Selected);
    }

    pub(super) fn reject(&mut self, candidate: &str, rejection: Rejection) {
        self.put(candidate, || Verdict::Rejected(rejection));
    }

    fn put(&mut self, candidate: &str, verdict: impl FnOnce() -> Verdict) {
        if self.entries.len() < self.room {
            self.entries.push((candidate.to_owned(), verdict()));
        } else {
            self.left_off += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Rejection, Verdict, Verdicts};

    #[test]
    fn only_as_many_verdicts_are_kept_as_were_asked_for() {
        let mut verdicts = Verdicts::up_to(1);
        verdicts.select("a");
        verdicts.reject("b", Rejection::NotAVersion);
        assert_eq!(verdicts.entries(), [("a".to_owned(), Verdict::Selected)]);
        assert_eq!(verdicts.left_off(), 1);
    }

    #[test]
    fn every_reason_has_words() {
        let since = "2024-01-02T03:04:05Z".parse().unwrap();
        for (rejection, text) in [
            (Rejection::Ignored { regex: "-rc".into() }, r#"ignored by regex "-rc""#),
            (Rejection::NotAllowed, "matches no regex of allowTagsRegexes"),
            (Rejection::OtherTag { followed: "main".into() }, r#"not the tag "main""#),
            (Rejection::NotAVersion, "not a version"),
            (Rejection::NotAFullVersion, "not a full version, which strictSemvers asks for"),
            (
                Rejection::ConstraintNotSatisfied { constraint: "^1.2".into() },
                "constraint ^1.2 not satisfied",
            ),
            (
                Rejection::PlatformNotOffered { platform: "linux/arm64".into() },
                "platform linux/arm64 not offered",
            ),
            (Rejection::ExpressionFalse, "expressionFilter is false"),
            (Rejection::PathsNotTouched, "no changed path passes includePaths and excludePaths"),
            (Rejection::TooOld { since }, "older than 2024-01-02T03:04:05Z"),
            (Rejection::NotACommit, "does not point to a commit"),
            (Rejection::Missing, "no longer there"),
            (
                Rejection::Unreadable { problem: "empty index".into() },
                "cannot be read: empty index",
            ),
            (Rejection::BeyondLimit { limit: 20 }, "beyond the limit of 20"),
        ] {
            assert_eq!(Verdict::Rejected(rejection).to_string(), text);
        }
    }
}
