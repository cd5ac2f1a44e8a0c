//! Where ours is better than upstream on purpose.

use crate::case::Case;

/// Accepts a different result of cases that a predicate selects, never by their ids.
pub struct Exception {
    /// A short name, as in the list of differences for users.
    pub name: &'static str,
    /// Why a user prefers our result, in one sentence.
    pub reason: &'static str,
    /// Whether the case shows this difference.
    pub applies: fn(&Case<'_>) -> bool,
}
