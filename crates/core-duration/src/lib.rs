//! Lengths of time in nanoseconds, in the text form of Go: `1h30m`, `-1.5s`.
//!
//! Reading accepts what Go's parser accepts; writing yields Go's canonical form, so that a text written here and one
//! written by upstream are the same.

mod format;
mod parse;
#[cfg(test)]
mod tests;

pub use format::write;
pub use parse::{ParseDurationError, parse};
