//! The three kinds of patch: merge (RFC 7386), JSON (RFC 6902) and strategic.
//!
//! A patch is applied to a copy of the stored object: after an error the target is half changed and thrown away.

mod error;
mod json_patch;
mod merge;
mod strategic;

pub use error::PatchError;
pub use json_patch::{Failure, JsonPatch, json_patch_parse};
pub use merge::merge;
pub use strategic::{MergeKeys, MergeRule, strategic};
