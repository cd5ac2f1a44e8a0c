//! What the embedded API server serves: the [`Resource`] descriptor, the built-in kinds as data with their own rules, and
//! everything that is derived from descriptors (discovery, OpenAPI, tables). Pure functions on JSON values; no storage.

mod builtin;
mod resource;

pub use builtin::{BuiltInKind, builtins};
pub use resource::{Column, Origin, Resource, Subresource, Verb};
