//! Semantic versions and range constraints as upstream understands them.
//!
//! Upstream selects images, tags and charts with a Go version library whose rules differ from
//! every Rust crate: missing parts are zero, leading zeros are dropped, an AND group looks at
//! pre-releases as soon as one of its members names one. A difference here would promote another
//! artifact, so the rules are written out and held to shared test vectors.
//!
//! All input is bounded: [`MAX_VERSION_BYTES`], [`MAX_CONSTRAINT_BYTES`], [`MAX_OR_GROUPS`].

mod constraint;
mod precedence;
mod scanner;
mod tag;
mod version;

pub use constraint::{Constraint, ConstraintError, MAX_CONSTRAINT_BYTES, MAX_OR_GROUPS};
pub use tag::{TagReading, version_of_tag};
pub use version::{MAX_VERSION_BYTES, Version, VersionError};

#[cfg(test)]
mod tests;
