//! What to do with a pull request that is to be merged, decided from what its provider tells.

/// The decision before a merge is asked for. Reasons are for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It is merged already.
    Merged,
    /// Ask for it.
    Merge,
    /// Ask for it, although a rule of the repository stands against it: the token may be exempt.
    MergeDespitePolicy,
    /// Look again later.
    NotReady(String),
    /// It will never be merged as it is.
    Refused(String),
}

impl Decision {
    pub(crate) fn not_ready(reason: &str) -> Self {
        Self::NotReady(reason.to_owned())
    }

    pub(crate) fn refused(reason: &str) -> Self {
        Self::Refused(reason.to_owned())
    }
}

pub(crate) const CLOSED: &str = "it was closed without being merged";
pub(crate) const CONFLICT: &str =
    "it conflicts with its target branch; bring the source branch up to date";
pub(crate) const DRAFT: &str = "it is a draft";
