//! Why nothing can be searched for.

use core_pattern::{PathFilterError, TagFilterError};
use core_semver::ConstraintError;

use super::platform::PlatformError;

/// The subscription cannot be used as it is written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Unusable {
    /// A pattern field that is no longer read.
    #[error("{field} is deprecated and unsupported as of v1.11.0; use {field}Regexes instead")]
    DeprecatedField {
        /// The field's name.
        field: &'static str,
    },
    /// A tag filter is malformed.
    #[error(transparent)]
    TagFilter(#[from] TagFilterError),
    /// A path filter is malformed.
    #[error(transparent)]
    PathFilter(#[from] PathFilterError),
    /// The version constraint is malformed.
    #[error("error parsing semver constraint {constraint:?}")]
    Constraint {
        /// The constraint as written.
        constraint: String,
        /// What is wrong with it.
        source: ConstraintError,
    },
    /// The expression does not compile.
    #[error("error compiling expressionFilter")]
    Expression(#[source] core_expr::Error),
    /// The platform is malformed.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// The address is none of a repository.
    #[error("repository URL {url:?} is invalid: {problem}")]
    Repository {
        /// The address as written.
        url: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The strategy is not known.
    #[error("unknown selection strategy {strategy:?}")]
    Strategy {
        /// The strategy as written.
        strategy: String,
    },
    /// The installation asks for something that the subscription does not do.
    #[error("caching by tag is required by controller configuration; set cacheByTag to true")]
    CachingRequired,
}
