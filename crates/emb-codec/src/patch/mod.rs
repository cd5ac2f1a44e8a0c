//! The three kinds of patch: merge (RFC 7386), JSON (RFC 6902) and strategic.

mod merge;

pub use merge::merge;
