//! Why a patch was refused.

use super::json_patch::Failure;

/// A patch that cannot be read or applied. Displays the message of the reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The body is no patch at all: 400.
    #[error("error decoding patch: {0}")]
    Malformed(&'static str),
    /// More operations than one request may ask for: 413.
    #[error(
        "Request entity too large: The allowed maximum operations in a JSON patch is {limit}, got {got}"
    )]
    TooManyOperations {
        /// How many are allowed.
        limit: usize,
        /// How many came.
        got: usize,
    },
    /// An operation of a JSON patch does not fit the object: 422. The reply keeps the reason to itself.
    #[error("the server rejected our request due to an error in our request")]
    Rejected(#[source] Failure),
    /// A strategic patch asks for something that has no meaning: 400.
    #[error("{0}")]
    Strategic(String),
}
