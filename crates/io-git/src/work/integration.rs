//! How remote changes are taken in before a push.

/// What is done when the remote branch has commits that the local one lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PushIntegration {
    /// Local commits are put on top of the remote ones, whoever signed them.
    #[default]
    AlwaysRebase,
    /// The same where no signature is lost by it, otherwise the remote branch is merged.
    RebaseOrMerge,
    /// The same where no signature is lost by it, otherwise the push fails.
    RebaseOrFail,
    /// The remote branch is merged.
    AlwaysMerge,
}
