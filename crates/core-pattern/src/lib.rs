//! What users write to select names, paths and tags, and the addresses of repositories.
//!
//! Patterns ([`NamePattern`], [`PathPattern`]) and filters ([`PathFilter`], [`TagFilter`]) decide
//! which Stages, commits and tags count; normal forms ([`normalize_git`], [`normalize_image`],
//! [`normalize_chart`]) decide whether two addresses are the same repository and enter Freight
//! names. Both must agree with upstream to the letter, including the dialect of its regular
//! expressions ([`UserRegex`]) and globs ([`Glob`]).
//!
//! Everything here is written by users: lengths, counts and the work of one match are bounded.

mod filter;
mod glob;
mod pattern;
pub mod slash_path;
mod url;
mod user_regex;

pub use filter::{
    MAX_FILTER_PATTERNS, PathFilter, PathFilterError, TagFilter, TagFilterError, TagRefusal,
};
pub use glob::{Glob, GlobError, MAX_GLOB_ALTERNATIONS, MAX_GLOB_BYTES};
pub use pattern::{NamePattern, PathPattern, PatternError};
pub use url::{
    ImageRepository, MAX_URL_BYTES, Uri, UriError, normalize_chart, normalize_git, normalize_image,
    sanitize,
};
pub use user_regex::{MAX_REGEX_BYTES, RegexError, UserRegex};
