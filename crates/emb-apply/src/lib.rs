//! Field ownership: who manages which field of an object, kept in `metadata.managedFields` on every write, and
//! server-side apply, which merges by it.
//!
//! Everything is computed on values: an [`ObjectType`] says how the fields of a kind are owned and merged, the caller
//! brings the stored object, the new one and the [`Writer`]. Ownership is a [`FieldSet`], held in the very form in which
//! it travels (`FieldsV1`), because most writes touch a few fields of a set and read none of the rest.

mod apply;
mod changes;
mod compile;
mod conflict;
mod element;
mod entry;
mod error;
mod fields_of;
mod fit;
mod go_text;
mod item;
mod last_applied;
mod managers;
mod merge;
mod prune;
mod received;
mod set;
mod times;
mod types;
mod untracked;
mod update;
mod validate;
mod writer;

#[cfg(test)]
mod tests;

pub use conflict::{Conflict, Conflicts};
pub use element::{ElementError, PathElement};
pub use error::ApplyError;
pub use received::FieldsError;
pub use set::FieldSet;
pub use times::keep_times;
pub use types::ObjectType;
pub use validate::Problems;
pub use writer::{Writer, manager_name};
