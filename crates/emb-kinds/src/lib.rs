//! What the embedded API server serves: the [`Resource`] descriptor, the built-in kinds as data with their own rules,
//! custom kinds from their definitions, and everything that is derived from descriptors (discovery, OpenAPI, tables).
//! Pure functions on JSON values; no storage, no clock.

mod builtin;
pub mod crd;
pub mod discovery;
pub mod openapi;
mod resource;
pub mod table;

pub use builtin::{BuiltInKind, Malformed, builtins};
pub use crd::custom;
pub use resource::{Column, Origin, Resource, Subresource, Verb};
