//! Edits of YAML, JSON and TOML files that change only the bytes they must.
//!
//! Everything here is a function from text to text, or from text to values: no file is opened. Texts come from
//! repositories of users, so size, depth and what aliases repeat are bounded, and no input panics.

#![warn(missing_docs)]

mod error;
pub mod json;
mod key;
pub mod kustomization;
mod scalar;
mod splice;
mod text;
pub mod toml;
pub mod yaml;

pub use error::EditError;
pub use key::{KeyError, KeyPath};
pub use scalar::Scalar;

/// The largest file that is read.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The deepest nesting that is read.
pub const MAX_DEPTH: usize = 128;
