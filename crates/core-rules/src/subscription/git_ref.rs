//! Which Git references concern a subscription.
//!
//! Answers for one pushed reference, without the repository; the filters on names are the same that
//! discovery applies to every tag.

use api_kinds::warehouse::{CommitSelectionStrategy, GitSubscription};
use core_pattern::{TagFilter, TagFilterError};
use core_semver::{Constraint, ConstraintError, TagReading, version_of_tag};

const BRANCH_PREFIX: &str = "refs/heads/";
const TAG_PREFIX: &str = "refs/tags/";

/// Without a configured branch the default one is meant, whose name is not known here.
const USUAL_DEFAULT_BRANCHES: [&str; 2] = ["main", "master"];

/// Why a subscription cannot select anything.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GitRefSelectorError {
    /// A pattern field that is no longer read.
    #[error("{field} is deprecated and unsupported as of v1.11.0; use {field}Regexes instead")]
    DeprecatedField {
        /// The field's name.
        field: &'static str,
    },
    /// A tag filter is malformed.
    #[error(transparent)]
    TagFilter(#[from] TagFilterError),
    /// The version constraint is malformed.
    #[error("error parsing semver constraint {constraint:?}")]
    Constraint {
        /// The constraint as written.
        constraint: String,
        /// What is wrong with it.
        source: ConstraintError,
    },
    /// The strategy is not known.
    #[error("unknown commit selection strategy {strategy:?}")]
    UnknownStrategy {
        /// The strategy as written.
        strategy: String,
    },
}

/// The references one subscription is interested in.
#[derive(Clone, Debug)]
pub enum GitRefSelector {
    /// Pushes to a branch; `None` stands for the default branch.
    Branch(Option<String>),
    /// Tags with a name that passes.
    Tags {
        /// Expressions to allow and ignore.
        filter: TagFilter,
        /// What the version in the name must satisfy, if it must be one.
        version: Option<VersionRule>,
    },
}

/// What is asked of a tag that must be a version.
#[derive(Clone, Debug)]
pub struct VersionRule {
    reading: TagReading,
    constraint: Option<Constraint>,
}

impl GitRefSelector {
    /// Reads what a subscription selects.
    pub fn new(subscription: &GitSubscription) -> Result<Self, GitRefSelectorError> {
        match &subscription.commit_selection_strategy {
            CommitSelectionStrategy::NewestFromBranch | CommitSelectionStrategy::Unset => {
                let branch = Some(&subscription.branch).filter(|branch| !branch.is_empty());
                Ok(Self::Branch(branch.cloned()))
            }
            CommitSelectionStrategy::Lexical | CommitSelectionStrategy::NewestTag => {
                Ok(Self::Tags { filter: tag_filter(subscription)?, version: None })
            }
            CommitSelectionStrategy::SemVer => Ok(Self::Tags {
                filter: tag_filter(subscription)?,
                version: Some(version_rule(subscription)?),
            }),
            CommitSelectionStrategy::Other(strategy) => {
                Err(GitRefSelectorError::UnknownStrategy { strategy: strategy.clone() })
            }
        }
    }

    /// Whether a push to `reference` (its full name) concerns the subscription.
    pub fn matches(&self, reference: &str) -> bool {
        match self {
            Self::Branch(branch) => {
                reference.strip_prefix(BRANCH_PREFIX).is_some_and(|pushed| match branch {
                    Some(branch) => pushed == branch,
                    None => USUAL_DEFAULT_BRANCHES.contains(&pushed),
                })
            }
            Self::Tags { filter, version } => {
                reference.strip_prefix(TAG_PREFIX).is_some_and(|tag| {
                    filter.accepts(tag) && version.as_ref().is_none_or(|rule| rule.accepts(tag))
                })
            }
        }
    }
}

impl VersionRule {
    fn accepts(&self, tag: &str) -> bool {
        version_of_tag(tag, self.reading).is_some_and(|version| {
            self.constraint.as_ref().is_none_or(|constraint| constraint.matches(&version))
        })
    }
}

fn tag_filter(subscription: &GitSubscription) -> Result<TagFilter, GitRefSelectorError> {
    if !subscription.allow_tags.is_empty() {
        return Err(GitRefSelectorError::DeprecatedField { field: "AllowTags" });
    }
    if !subscription.ignore_tags.is_empty() {
        return Err(GitRefSelectorError::DeprecatedField { field: "IgnoreTags" });
    }
    Ok(TagFilter::parse(&subscription.allow_tags_regexes, &subscription.ignore_tags_regexes)?)
}

fn version_rule(subscription: &GitSubscription) -> Result<VersionRule, GitRefSelectorError> {
    let constraint = &subscription.semver_constraint;
    let parse = || {
        Constraint::parse(constraint).map_err(|source| GitRefSelectorError::Constraint {
            constraint: constraint.clone(),
            source,
        })
    };
    let is_strict = subscription.strict_semvers.unwrap_or_default();
    Ok(VersionRule {
        reading: if is_strict { TagReading::Strict } else { TagReading::Lenient },
        constraint: if constraint.is_empty() { None } else { Some(parse()?) },
    })
}

#[cfg(test)]
mod tests {
    use api_kinds::warehouse::{CommitSelectionStrategy, GitSubscription};

    use super::GitRefSelector;

    fn matches(subscription: &GitSubscription, reference: &str) -> bool {
        GitRefSelector::new(subscription).unwrap().matches(reference)
    }

    #[test]
    fn without_a_branch_the_usual_default_branches_count() {
        let subscription = GitSubscription::default();
        assert!(matches(&subscription, "refs/heads/main"));
        assert!(!matches(&subscription, "refs/heads/dev"));
        assert!(!matches(&subscription, "refs/tags/main"));
        let subscription = GitSubscription { branch: "rel/1".into(), ..subscription };
        assert!(matches(&subscription, "refs/heads/rel/1"));
        assert!(!matches(&subscription, "refs/heads/main"));
    }

    #[test]
    fn versions_must_satisfy_the_constraint() {
        let subscription = GitSubscription {
            commit_selection_strategy: CommitSelectionStrategy::SemVer,
            semver_constraint: "^1".into(),
            strict_semvers: Some(true),
            ..GitSubscription::default()
        };
        assert!(matches(&subscription, "refs/tags/v1.2.0"));
        assert!(!matches(&subscription, "refs/tags/1.2"));
        assert!(!matches(&subscription, "refs/tags/v2.0.0"));
    }

    #[test]
    fn fields_that_are_no_longer_read_are_refused() {
        let subscription = GitSubscription {
            commit_selection_strategy: CommitSelectionStrategy::Lexical,
            allow_tags: "^v".into(),
            ..GitSubscription::default()
        };
        assert!(GitRefSelector::new(&subscription).is_err());
    }
}
