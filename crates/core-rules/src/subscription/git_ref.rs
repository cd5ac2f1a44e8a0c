//! Which Git references concern a subscription.
//!
//! Answers for one pushed reference, without the repository; the filters on names are the same that
//! discovery applies to every tag.

use api_kinds::warehouse::{CommitSelectionStrategy, GitSubscription};

use super::{
    Unusable,
    tag_rule::{TagFields, TagRule},
};

pub(super) const BRANCH_PREFIX: &str = "refs/heads/";
pub(super) const TAG_PREFIX: &str = "refs/tags/";

/// Without a configured branch the default one is meant, whose name is not known here.
const USUAL_DEFAULT_BRANCHES: [&str; 2] = ["main", "master"];

/// The references one subscription is interested in.
#[derive(Clone, Debug)]
pub struct GitRefSelector(pub(super) Interest);

/// Pushes to a branch, or tags with a name that passes. No branch stands for the default one.
#[derive(Clone, Debug)]
pub(super) enum Interest {
    Branch(Option<String>),
    Tags(TagRule),
}

impl GitRefSelector {
    /// Reads what a subscription selects.
    pub fn new(subscription: &GitSubscription) -> Result<Self, Unusable> {
        let fields = TagFields {
            allow_tags: &subscription.allow_tags,
            ignore_tags: &subscription.ignore_tags,
            allow_tags_regexes: &subscription.allow_tags_regexes,
            ignore_tags_regexes: &subscription.ignore_tags_regexes,
        };
        let interest = match &subscription.commit_selection_strategy {
            CommitSelectionStrategy::NewestFromBranch | CommitSelectionStrategy::Unset => {
                let branch = Some(&subscription.branch).filter(|branch| !branch.is_empty());
                Interest::Branch(branch.cloned())
            }
            CommitSelectionStrategy::Lexical | CommitSelectionStrategy::NewestTag => {
                Interest::Tags(TagRule::names(&fields)?)
            }
            CommitSelectionStrategy::SemVer => {
                let constraint = &subscription.semver_constraint;
                Interest::Tags(TagRule::versions(&fields, constraint, subscription.strict_semvers)?)
            }
            CommitSelectionStrategy::Other(strategy) => {
                return Err(Unusable::Strategy { strategy: strategy.clone() });
            }
        };
        Ok(Self(interest))
    }

    /// Whether a push to `reference` (its full name) concerns the subscription.
    pub fn matches(&self, reference: &str) -> bool {
        match &self.0 {
            Interest::Branch(branch) => {
                reference.strip_prefix(BRANCH_PREFIX).is_some_and(|pushed| match branch {
                    Some(branch) => pushed == branch,
                    None => USUAL_DEFAULT_BRANCHES.contains(&pushed),
                })
            }
            Interest::Tags(rule) => {
                reference.strip_prefix(TAG_PREFIX).is_some_and(|tag| rule.accepts(tag))
            }
        }
    }
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
