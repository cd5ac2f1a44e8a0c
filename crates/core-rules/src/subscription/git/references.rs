//! What a repository's references look like, as far as a subscription looks at them.

use api_kinds::warehouse::{DiscoveredRef, GitDiscoveryRefs};

use super::tags::TagSelector;
use crate::subscription::git_ref::TAG_PREFIX;

/// More are not remembered, and a part would be worth nothing.
const MAX_OBSERVED_TAGS: usize = 1000;

/// Listings may name what an annotated tag points to under the tag's name and this.
const PEELED: &str = "^{}";

const HEAD: &str = "HEAD";

/// References to ask a repository for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefsToAsk {
    /// `HEAD`, which names the default branch.
    Head,
    /// One branch, by its full name.
    Branch(String),
    /// All tags.
    Tags,
}

impl RefsToAsk {
    /// What the names of the references begin with.
    pub fn prefix(&self) -> &str {
        match self {
            Self::Head => HEAD,
            Self::Branch(name) => name,
            Self::Tags => TAG_PREFIX,
        }
    }
}

pub(super) fn observe_branch<N: AsRef<str>, I: AsRef<str>>(
    branch: &str,
    references: impl IntoIterator<Item = (N, I)>,
) -> Option<GitDiscoveryRefs> {
    let (_, id) = references.into_iter().find(|(name, _)| name.as_ref() == branch)?;
    Some(GitDiscoveryRefs { branch_head: id.as_ref().to_owned(), tags: Vec::new() })
}

pub(super) fn observe_tags<N: AsRef<str>, I: AsRef<str>>(
    selector: &TagSelector,
    references: impl IntoIterator<Item = (N, I)>,
) -> Option<GitDiscoveryRefs> {
    let tags = references.into_iter().filter_map(|(name, id)| {
        let name = name.as_ref().strip_prefix(TAG_PREFIX)?;
        let is_candidate = !name.ends_with(PEELED) && selector.accepts(name);
        is_candidate.then(|| DiscoveredRef { id: id.as_ref().to_owned(), name: name.to_owned() })
    });
    let mut tags: Vec<DiscoveredRef> = tags.take(MAX_OBSERVED_TAGS + 1).collect();
    tags.sort_unstable_by(|left, right| left.name.cmp(&right.name));
    let is_complete = tags.len() <= MAX_OBSERVED_TAGS;
    is_complete.then(|| GitDiscoveryRefs { branch_head: String::new(), tags })
}
